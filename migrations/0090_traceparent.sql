-- The W3C trace context of the request that began the session: whoever works on it continues that trace.
alter table alert_sessions
    add column traceparent text check (length(traceparent) <= 128);
