-- The text of the runbook that an alert names, as the session's models see it: fetched once, before the first
-- stage. Or why it could not be had, and the default one was used.

alter table alert_sessions
    add column runbook text,
    add column runbook_error text;
