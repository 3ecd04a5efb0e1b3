-- What was sent as an alert: tests, heartbeats and what is not understood are kept, too, and begin no session.
alter table intake_alerts
    add column content text not null default 'problem'
        check (content in ('problem', 'test', 'heartbeat', 'not_understood')),
    -- What was cut, folded, left out or read in another form, as sentences; null if nothing was.
    add column notes jsonb;

alter table intake_alerts drop constraint intake_alerts_reason_check;
alter table intake_alerts add constraint intake_alerts_reason_check check (reason in (
    'new', 'still_firing', 'same_alert', 'session_open', 'within_window', 'same_group', 'group_rate', 'flapping',
    'quiet_hours', 'daily_limit', 'tokens_used_up', 'resolved', 'resolved_others_firing', 'acknowledged',
    'no_session', 'test', 'heartbeat', 'not_understood'
));

-- The newest ones are counted for a warning.
create index intake_alerts_not_understood on intake_alerts (last_received_at) where content = 'not_understood';
