-- What alert sources sent, and what became of it.

-- A row is one change of one alert; what is sent again raises `repeats`.
create table intake_alerts (
    id uuid primary key,
    seq bigint generated always as identity unique,
    source text not null,
    source_id text,
    fingerprint text not null,
    -- That of the policy's labels, else that of the source behind the source's name.
    group_key text,
    -- Tests, heartbeats and what is not understood are kept, too, and begin no session.
    content text not null default 'problem'
        check (content in ('problem', 'test', 'heartbeat', 'not_understood')),
    status text not null check (status in ('firing', 'acknowledged', 'resolved')),
    title text not null,
    severity text,
    service text,
    namespace text,
    cluster text,
    labels jsonb,
    annotations jsonb,
    links jsonb,
    starts_at timestamptz,
    ends_at timestamptz,
    raw jsonb,
    -- What was cut, folded, left out or read in another form, as sentences; null if nothing was.
    notes jsonb,
    alert_type text not null,
    chain_id text not null,
    rule text,
    runbook_url text,
    action text not null check (action in ('open', 'attach', 'fold', 'resolve', 'stop', 'hold', 'ignore')),
    reason text not null check (reason in (
        'new', 'still_firing', 'same_alert', 'session_open', 'within_window', 'same_group', 'same_labels', 'group_rate',
        'flapping', 'quiet_hours', 'daily_limit', 'tokens_used_up', 'resolved', 'resolved_others_firing', 'acknowledged',
        'no_session', 'test', 'heartbeat', 'not_understood'
    )),
    -- The reason with its figures.
    decision jsonb not null,
    session_id uuid references alert_sessions (id) on delete cascade,
    -- The text that the session began with has it.
    in_session_text boolean not null default false,
    hold_until timestamptz check ((hold_until is not null) = (action = 'hold')),
    -- A held alert was decided anew, and the new row tells how.
    released_at timestamptz,
    received_at timestamptz not null default now(),
    repeats bigint not null default 0 check (repeats >= 0),
    last_received_at timestamptz not null default now(),
    check ((session_id is not null) = (action in ('open', 'attach', 'fold', 'resolve', 'stop')))
);

-- `receive_alerts`: what is known of an alert. `list_due_alerts`: whether a newer one came.
create index intake_alerts_fingerprint on intake_alerts (source, fingerprint, seq desc);
-- `receive_alerts`: what is known of a group.
create index intake_alerts_group on intake_alerts (group_key, seq desc) where group_key is not null;
-- `receive_alerts`: which alerts of a session still fire.
create index intake_alerts_session on intake_alerts (session_id, source, fingerprint, seq desc)
    where session_id is not null;
-- `list_attached_alerts`, `list_received_alerts` of a session, and `claim_notifications`.
create index intake_alerts_of_session on intake_alerts (session_id, seq) where session_id is not null;
-- `list_due_alerts`.
create index intake_alerts_held on intake_alerts (hold_until) where action = 'hold' and released_at is null;
-- `purge` of alerts.
create index intake_alerts_without_session on intake_alerts (last_received_at) where session_id is null;
-- `count_not_understood`, for a warning.
create index intake_alerts_not_understood on intake_alerts (last_received_at) where content = 'not_understood';
-- `list_heartbeats`: one that stays away begins a session, where its source says so.
create index intake_alerts_heartbeats on intake_alerts (source, fingerprint, last_received_at desc)
    where content = 'heartbeat';

-- Requests of alert sources that were refused, counted for each minute without their bodies.
create table intake_refusals (
    minute timestamptz not null,
    -- As the request named it; empty for those that were too many to be told apart.
    source text not null,
    -- The client's address; empty for those that were too many to be told apart.
    sender text not null,
    reason text not null check (reason in ('unknown_source', 'unverified', 'too_large', 'broken', 'busy')),
    requests bigint not null check (requests > 0),
    primary key (minute, source, sender, reason)
);
