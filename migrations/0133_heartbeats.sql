-- When each heartbeat of a source came last: one that stays away begins a session, where its source says so.
create index intake_alerts_heartbeats on intake_alerts (source, fingerprint, last_received_at desc)
    where content = 'heartbeat';
