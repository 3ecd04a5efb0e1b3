-- What a decision about a tool call was, in the audit log itself: it stays when the session is deleted.

alter table audit_log
    -- The session that the request was about. No reference: an entry outlives its session.
    add column session_id uuid,
    -- Of a decision that counts, and of nothing else.
    add column approval_id uuid,
    -- `server.tool`.
    add column tool text,
    add column decision text check (decision in ('approved', 'denied')),
    add constraint audit_log_whole_decision
        check (num_nulls(approval_id, tool, decision) in (0, 3));
