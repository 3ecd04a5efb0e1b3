-- What an alert is about, as its sender states it; which sessions report the same problem; what people think of their
-- findings; and the reviewed sessions that an investigation was given.

create table session_reviews (
    id uuid primary key,
    session_id uuid not null references alert_sessions (id) on delete cascade,
    review text not null check (review in ('accurate', 'partly', 'wrong')),
    actual_cause text check (char_length(actual_cause) between 1 and 4000),
    object text check (char_length(object) between 1 and 400),
    category text check (char_length(category) between 1 and 200),
    reviewer text not null,
    created_at timestamptz not null default now(),
    -- Reviews of a session from 1; rows are added, never changed, and the last one counts.
    number integer not null check (number > 0),
    unique (session_id, number)
);

create index session_reviews_created on session_reviews (created_at);
create index session_reviews_object on session_reviews (lower(object)) where object is not null;

alter table alert_sessions
    add column title text,
    add column severity text,
    add column service text,
    add column namespace text,
    add column cluster text,
    add column links jsonb,
    add column labels jsonb,
    add column fingerprint text,
    -- The review that counts.
    add column review_id uuid references session_reviews (id),
    -- The reviewed sessions that the investigation was given: none before it began.
    add column seen_before jsonb;

update alert_sessions set fingerprint = slack_message_fingerprint where slack_message_fingerprint is not null;

create index alert_sessions_same_problem on alert_sessions (fingerprint, created_at, id)
    where fingerprint is not null and deleted_at is null;
create index alert_sessions_reviewed on alert_sessions (review_id) where review_id is not null;
create index alert_sessions_reviewed_problem on alert_sessions (fingerprint, completed_at)
    where fingerprint is not null and review_id is not null and deleted_at is null;

-- The message of a session's end changes when somebody reviews the session.
alter table notifications
    add column review_id uuid references session_reviews (id) on delete cascade,
    drop constraint notifications_kind_check,
    add constraint notifications_kind_check check (
        kind in ('started', 'ended', 'approval_requested', 'approval_closed', 'reviewed')
    ),
    add constraint notifications_review_check check ((review_id is not null) = (kind = 'reviewed')),
    drop constraint notifications_once,
    add constraint notifications_once
        unique nulls not distinct (session_id, kind, destination, approval_id, review_id);

create index notifications_review on notifications (review_id) where review_id is not null;
create index notifications_ends on notifications (session_id) where kind = 'ended';
