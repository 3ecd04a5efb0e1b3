-- Messages about tool calls that wait for approval: the request with its buttons, and its change when it is over.

alter table notifications
    add column approval_id uuid references tool_approvals (id) on delete cascade,
    drop constraint notifications_kind_check,
    add constraint notifications_kind_check check (
        kind in ('started', 'ended', 'approval_requested', 'approval_closed')
    ),
    add constraint notifications_approval_check check (
        (approval_id is not null) = (kind in ('approval_requested', 'approval_closed'))
    ),
    drop constraint notifications_session_id_kind_destination_key,
    add constraint notifications_once unique nulls not distinct (session_id, kind, destination, approval_id);

create index notifications_approval on notifications (approval_id) where approval_id is not null;
create index notifications_requests on notifications (created_at) where kind = 'approval_requested';
