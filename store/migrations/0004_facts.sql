-- What a sync compares stored facts and Applications by without reading them, and how far their times have come.

-- Version of the facts' rules and digest of their text; null without facts.
alter table k8s_workloads add column spec_facts_hash text;

-- The latest time that facts or records carry. Ahead of `snapshot_at` after a failover to a leader with a slow clock.
alter table clusters add column recorded_at timestamptz;

-- Digest of everything that the snapshot said of the Application, its resource rows included.
alter table applications add column content_hash text not null default '';

-- The last report of the Application left its resource rows out for size: those stored may be older than the rest.
alter table applications add column resources_dropped boolean not null default false;
