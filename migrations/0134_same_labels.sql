-- An alert belongs to the session of another one with the same values of the labels that the operator lists.
alter table intake_alerts drop constraint intake_alerts_reason_check;
alter table intake_alerts add constraint intake_alerts_reason_check check (reason in (
    'new', 'still_firing', 'same_alert', 'session_open', 'within_window', 'same_group', 'same_labels', 'group_rate',
    'flapping', 'quiet_hours', 'daily_limit', 'tokens_used_up', 'resolved', 'resolved_others_firing', 'acknowledged',
    'no_session', 'test', 'heartbeat', 'not_understood'
));
