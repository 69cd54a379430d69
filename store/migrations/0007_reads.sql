-- What the API's reads of a large fleet need; each with its query. What each costs an ingest: bench/README.md.

-- Lists of pods in any order, their counts, the summary, capacity and usage read these columns of every pod of a cluster,
-- and then some whole rows. In the natural key's own index they cost no index more; the rows themselves are 1.2 KB wide.
alter table k8s_pods
  drop constraint k8s_pods_cluster_id_namespace_name_key,
  add constraint k8s_pods_cluster_id_namespace_name_key unique (cluster_id, namespace, name)
    include (id, phase, node_name, node_id, containers_ready, containers_total, restart_count,
      cpu_requests_millicores, cpu_limits_millicores, memory_requests_bytes, memory_limits_bytes,
      started_at, created_at);

-- Lists of events: what a page is chosen by, without their messages.
alter table k8s_events
  drop constraint k8s_events_cluster_id_uid_key,
  add constraint k8s_events_cluster_id_uid_key unique (cluster_id, uid) include (namespace, name, id, type);

-- Warnings of the past hour: how many, and of which reasons (SM-03, SM-21).
create index k8s_events_warnings on k8s_events (cluster_id, last_seen_at) include (reason) where type = 'Warning';

-- Search of the fleet by a whole image. Only images are keys, as hashes, so that none is too long.
create index k8s_workloads_images on k8s_workloads
  using gin (jsonb_path_query_array(containers, '$[*].image') jsonb_path_ops);
create index k8s_pods_images on k8s_pods
  using gin (jsonb_path_query_array(containers, '$[*].image') jsonb_path_ops);

-- What spec facts refer to, as `sort:name` (SF-10: a `#` begins the prefix of variable names), and names of variables as
-- `env:name`.
create function workload_references(facts jsonb) returns jsonb
  language sql immutable strict parallel safe
  return (
    select coalesce(jsonb_agg(distinct named.v), '[]')
    from jsonb_array_elements(facts -> 'containers') c
    cross join lateral (
      select split_part(r, '#', 1) as v
      from jsonb_array_elements_text((c -> 'env_from') || (c -> 'volume_refs')) r
      union all
      select 'env:' || e from jsonb_array_elements_text(c -> 'env_names') e
    ) named
  );

-- Search of the fleet for who uses a ConfigMap, Secret, claim or variable of this name. Stored, because PostgreSQL looks
-- again at every row that an index of hashes finds, and the function takes 0.1 ms each time.
alter table k8s_workloads
  add column spec_references jsonb generated always as (workload_references(spec_facts)) stored;
create index k8s_workloads_references on k8s_workloads using gin (spec_references jsonb_path_ops);
