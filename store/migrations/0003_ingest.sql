-- What the way of a message leaves behind: attempts without an outcome, and messages that can never apply
-- (contracts.md section 2).

-- A redelivered message is counted here before it is decoded; every outcome deletes the row. What stays has killed
-- the process that often.
create table ingest_attempts (
  stream_sequence bigint primary key,
  attempts integer not null,
  updated_at timestamptz not null
);

create index ingest_attempts_age on ingest_attempts (updated_at);

create table rejected_messages (
  id uuid primary key default gen_random_uuid(),
  -- As the subject said, so not always the id of an agent.
  agent_id text not null,
  -- Last token of the subject.
  type text not null,
  subject text not null,
  -- Label of proxima_ingest_outcomes_total.
  reason text not null,
  -- Where the fault is; never a value.
  detail text,
  -- Which cluster it claimed to come from, as far as it was read; accept-uid offers the uids listed here.
  cluster_slug text,
  cluster_uid text,
  published_at timestamptz not null,
  received_at timestamptz not null,
  size_bytes bigint not null,
  content_encoding text,
  -- The first 64 KiB as they came.
  head bytea not null
);

create index rejected_messages_agent on rejected_messages (agent_id, type, received_at desc);
create index rejected_messages_age on rejected_messages (received_at desc, id);
