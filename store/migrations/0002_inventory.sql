-- Clusters and what they hold (requirements SC-01 to SC-17, U-15 to U-17, U-20).
--
-- The columns of the k8s_ tables are those of wire/kinds; spec/store/drift compares the two. Besides them each has
--   id            stable as long as the natural key stays (IN-03)
--   content_hash  over everything that the snapshot says of the object: an equal one means nothing to write (D8)
--   synced_at     when the row last changed; a sync that finds it unchanged leaves it
-- Columns in an order or a natural key collate "C": the same order on every machine, and by bytes it is cheapest.
-- Indexes are those that a requirement names or a query here uses: each costs every first sync of a cluster.

create table clusters (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references assets (id) on delete cascade,
  client_id uuid not null references clients (id),
  environment_id uuid not null references environments (id),
  name text collate "C" not null,
  display_name text not null,
  slug text not null,
  -- UID of the kube-system namespace: which cluster this is, whatever it is called. Null until one was read.
  uid text,
  version text,
  platform text,
  distribution text,
  api_server_url text,
  cluster_cidr text,
  service_cidr text,
  dns_domain text not null default 'cluster.local',
  cloud_provider text,
  cloud_region text,
  cloud_account_id text,
  status text not null default 'unknown'
    constraint clusters_status check (status in ('healthy', 'degraded', 'unreachable', 'unknown')),
  agent_status text not null default 'disconnected'
    constraint clusters_agent_status check (agent_status in ('connected', 'disconnected')),
  agent_version text,
  node_count integer not null default 0,
  namespace_count integer not null default 0,
  workload_count integer not null default 0,
  last_seen_at timestamptz,
  -- The fence (contracts.md section 1): stamp and epoch of the last stored snapshot.
  snapshot_at timestamptz,
  epoch_lease_uid text,
  epoch_transitions integer,
  sync_interval_seconds integer,
  excluded_namespaces text[] not null default '{}',
  -- Of the last stored snapshot; null when it had none.
  coverage jsonb,
  -- Resource to the stamp of the first snapshot in a row that could not verify it (D9).
  unverified_since jsonb not null default '{}',
  -- Of the last snapshot that reported ArgoCD; null before.
  argocd_state text,
  argocd_in_cluster_names text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (environment_id, slug),
  foreign key (environment_id, client_id) references environments (id, client_id)
);

create index clusters_client on clusters (client_id);
create index clusters_environment on clusters (environment_id);
create index clusters_asset on clusters (asset_id);
create index clusters_status on clusters (status);
create index clusters_agent_status on clusters (agent_status);
create index clusters_last_seen on clusters (last_seen_at);

-- SC-05 to SC-08. `host_id` follows from the environment's hosts at each sync (LK-01), not from the snapshot.
create table k8s_nodes (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  name text collate "C" not null,
  uid text not null,
  roles text[] not null default '{}',
  labels jsonb not null default '{}',
  taints jsonb not null default '[]',
  status text not null,
  conditions jsonb not null default '[]',
  unschedulable boolean not null,
  addresses jsonb not null default '[]',
  kubelet_version text,
  container_runtime text,
  os_image text,
  kernel_version text,
  capacity_cpu_millicores integer,
  capacity_memory_bytes bigint,
  capacity_pods integer,
  allocatable_cpu_millicores integer,
  allocatable_memory_bytes bigint,
  allocatable_pods integer,
  usage_cpu_millicores integer,
  usage_memory_bytes bigint,
  pod_count integer,
  provider_id text,
  instance_type text,
  zone text,
  created_at timestamptz,
  host_id uuid references hosts (id) on delete set null,
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, name),
  -- Deferred: two nodes may swap uids, or one may take a uid over, within one snapshot (SC-08).
  unique (cluster_id, uid) deferrable initially deferred
);

create index k8s_nodes_cluster on k8s_nodes (cluster_id);
create index k8s_nodes_host on k8s_nodes (host_id);
create index k8s_nodes_status on k8s_nodes (status);

-- SC-09, SC-10.
create table k8s_namespaces (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  name text collate "C" not null,
  uid text not null,
  status text not null,
  labels jsonb not null default '{}',
  workload_count integer,
  pod_count integer,
  service_count integer,
  created_at timestamptz,
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, name)
);

create index k8s_namespaces_cluster on k8s_namespaces (cluster_id);
create index k8s_namespaces_labels on k8s_namespaces using gin (labels);

-- SC-11 to SC-15. No check on `kind`: a further one needs no migration (SC-12).
create table k8s_workloads (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  kind text collate "C" not null,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  replicas_desired integer not null,
  replicas_ready integer not null,
  replicas_available integer not null,
  conditions jsonb not null default '[]',
  strategy text,
  service_account text,
  containers jsonb not null default '[]',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  helm_release text,
  helm_chart text,
  helm_chart_version text,
  -- Resolved by name at each sync; null while the namespace is not known (contracts.md section 6).
  namespace_id uuid references k8s_namespaces (id) on delete cascade,
  spec_facts jsonb,
  spec_facts_at timestamptz,
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, kind, namespace, name)
);

create index k8s_workloads_cluster on k8s_workloads (cluster_id);
create index k8s_workloads_namespace on k8s_workloads (namespace_id);
create index k8s_workloads_kind on k8s_workloads (kind);
create index k8s_workloads_labels on k8s_workloads using gin (labels);
create index k8s_workloads_helm_release on k8s_workloads (helm_release) where helm_release is not null;

create table k8s_pods (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  phase text not null,
  reason text,
  node_name text,
  workload_kind text,
  workload text,
  owner_kind text,
  owner_name text,
  containers jsonb not null default '[]',
  containers_total integer not null,
  containers_ready integer not null,
  restart_count integer not null,
  cpu_requests_millicores integer,
  cpu_limits_millicores integer,
  memory_requests_bytes bigint,
  memory_limits_bytes bigint,
  qos_class text,
  priority_class text,
  service_account text,
  pod_ip text,
  host_ip text,
  conditions jsonb not null default '[]',
  labels jsonb not null default '{}',
  started_at timestamptz,
  -- Null when unscheduled, or bound to a node that is not stored; `node_name` says which.
  node_id uuid references k8s_nodes (id) on delete set null,
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

-- Without it the removal of a node reads every pod of every cluster (on delete set null).
create index k8s_pods_node on k8s_pods (node_id) where node_id is not null;

create table k8s_services (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  type text not null,
  cluster_ip text,
  cluster_ips text[] not null default '{}',
  external_ips text[] not null default '{}',
  external_name text,
  session_affinity text,
  ports jsonb not null default '[]',
  selector jsonb not null default '{}',
  load_balancer jsonb not null default '[]',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  endpoints integer,
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

create table k8s_ingresses (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  class text,
  rules jsonb not null default '[]',
  tls jsonb not null default '[]',
  default_backend jsonb,
  load_balancer jsonb not null default '[]',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

create table k8s_pvcs (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  phase text not null,
  storage_class text,
  capacity_bytes bigint,
  requested_bytes bigint,
  access_modes text[] not null default '{}',
  volume_name text,
  volume_mode text,
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

create table k8s_events (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text collate "C" not null,
  type text not null,
  reason text,
  message text,
  involved_kind text,
  involved_namespace text,
  involved_name text,
  source_component text,
  count integer not null,
  first_seen_at timestamptz,
  last_seen_at timestamptz,
  created_at timestamptz,
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, uid)
);

create table k8s_jobs (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  kind text collate "C" not null,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  status text not null,
  completions integer,
  parallelism integer,
  active integer not null,
  succeeded integer,
  failed integer,
  schedule text,
  time_zone text,
  concurrency_policy text,
  suspended boolean not null,
  last_schedule_at timestamptz,
  last_successful_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  owner_kind text,
  owner_name text,
  containers jsonb not null default '[]',
  conditions jsonb not null default '[]',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, kind, namespace, name)
);

create table k8s_hpas (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  target_kind text not null,
  target_name text not null,
  min_replicas integer not null,
  max_replicas integer not null,
  current_replicas integer not null,
  desired_replicas integer not null,
  metrics jsonb not null default '[]',
  conditions jsonb not null default '[]',
  last_scale_at timestamptz,
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

create table k8s_network_policies (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  pod_selector jsonb not null,
  policy_types text[] not null default '{}',
  ingress jsonb not null default '[]',
  egress jsonb not null default '[]',
  labels jsonb not null default '{}',
  annotations jsonb not null default '{}',
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

create table k8s_resource_quotas (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  hard jsonb not null default '{}',
  used jsonb not null default '{}',
  scopes text[] not null default '{}',
  labels jsonb not null default '{}',
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

create table k8s_endpoint_slices (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  created_at timestamptz,
  address_type text not null,
  service text,
  endpoints jsonb not null default '[]',
  ports jsonb not null default '[]',
  labels jsonb not null default '{}',
  content_hash text not null default '',
  synced_at timestamptz not null default now(),
  unique (cluster_id, namespace, name)
);

create table applications (
  id uuid primary key default gen_random_uuid(),
  cluster_id uuid not null references clusters (id) on delete cascade,
  namespace text collate "C" not null,
  name text collate "C" not null,
  uid text not null,
  project text,
  destination_name text,
  destination_server text,
  destination_namespace text,
  sync_status text,
  health_status text,
  revisions text[] not null,
  sources jsonb not null,
  resources_total integer not null,
  created_at timestamptz,
  synced_at timestamptz not null,
  unique (cluster_id, namespace, name)
);

create table application_resources (
  id uuid primary key default gen_random_uuid(),
  application_id uuid not null references applications (id) on delete cascade,
  "group" text not null,
  kind text not null,
  namespace text,
  name text not null,
  sync_status text,
  health_status text
);

create index application_resources_application on application_resources (application_id);

create table change_events (
  id uuid primary key default gen_random_uuid(),
  client_id uuid not null references clients (id),
  -- Null: concerns the whole client.
  environment_id uuid references environments (id),
  host_id uuid references hosts (id) on delete set null,
  source text not null,
  event_type text not null,
  severity text not null,
  summary text not null,
  details jsonb not null default '{}',
  -- When it was seen to have happened; `created_at` is when it was written.
  scanned_at timestamptz,
  created_at timestamptz not null default now()
);

create index idx_change_events_client_effective on change_events (client_id, (coalesce(scanned_at, created_at)));
create index idx_change_events_source on change_events (source);
create index change_events_host on change_events (host_id) where host_id is not null;

create table alert_groups (
  id uuid primary key default gen_random_uuid(),
  client_id uuid not null references clients (id),
  environment_id uuid references environments (id),
  host_id uuid references hosts (id) on delete set null,
  status text not null,
  severity text not null,
  title text not null,
  labels jsonb not null default '{}',
  first_fired_at timestamptz not null,
  created_at timestamptz not null default now()
);

create index idx_alert_groups_status on alert_groups (status, first_fired_at);
create index idx_alert_groups_client on alert_groups (client_id, first_fired_at);
create index alert_groups_host on alert_groups (host_id) where host_id is not null;
