-- Who a caller is at an OIDC issuer (contracts.md section 5): matched on (issuer, subject), never on the email, which
-- an issuer may hand to another person.

create table caller_identities (
  id uuid primary key default gen_random_uuid(),
  caller_id uuid not null references callers (id) on delete cascade,
  issuer text not null,
  subject text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  unique (issuer, subject)
);

create index caller_identities_caller on caller_identities (caller_id);
