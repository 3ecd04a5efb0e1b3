-- Commands that people give in Slack, Mattermost and Teams: which sessions and questions they began, and where.

-- A row is there in the transaction of what the command began: a message that is delivered again begins nothing.
create table commands (
    messenger text not null check (messenger in ('slack', 'mattermost', 'teams')),
    -- The message, as the messenger knows it: one that is delivered again has the same.
    key text not null check (char_length(key) between 1 and 400),
    session_id uuid not null references alert_sessions (id) on delete cascade,
    -- The question that it asked; null of the command that began the session.
    question_id uuid references chat_user_messages (id) on delete cascade,
    -- Where it was given: what follows is sent there.
    channel text not null check (char_length(channel) between 1 and 200),
    -- Null outside of threads.
    thread text check (char_length(thread) between 1 and 200),
    created_at timestamptz not null default now(),
    -- When the person got the first answer; null of messengers that take it as the answer of the request.
    confirmed_at timestamptz,
    primary key (messenger, key)
);

-- The thread of a session in `claim_notifications` and `list_unnotified`, and the reference.
create unique index commands_session on commands (session_id) where question_id is null;
-- The thread of an answer in `claim_notifications`, and the reference.
create unique index commands_question on commands (question_id) where question_id is not null;
-- `find_session_of_thread`.
create index commands_thread on commands (channel, thread, created_at) where thread is not null;
-- The reference, when a session is deleted.
create index commands_sessions on commands (session_id) where question_id is not null;

-- Answers to questions are sent to the threads of commands. A session has one row for each destination, which is sent again with
-- the next answer: the rule that a row is unique is in statements of the version before.
alter table notifications
    -- The question whose answer is sent.
    add column question_id uuid references chat_user_messages (id) on delete cascade,
    drop constraint notifications_kind_check,
    add constraint notifications_kind_check check (
        kind in ('started', 'ended', 'approval_requested', 'approval_closed', 'reviewed', 'triaged', 'answered')
    ),
    add constraint notifications_question_check check ((question_id is not null) = (kind = 'answered'));

-- `list_unnotified_answers`, and the reference.
create index notifications_question on notifications (question_id) where question_id is not null;
-- `find_session_of_thread`: messages that people answer with a command.
create index notifications_thread on notifications (coalesce(thread_ref, external_ref))
    where status = 'sent' and external_ref is not null;
-- `list_unnotified_answers`: questions that were answered a while ago.
create index stages_answered on stages (completed_at) where chat_user_message_id is not null and completed_at is not null;
