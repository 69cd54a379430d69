-- Rows that leave by their age are found by it (ST-04, X-41): without this every look at old events reads all events.
create index k8s_events_age on k8s_events ((coalesce(last_seen_at, synced_at)));
