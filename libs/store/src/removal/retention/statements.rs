//! The statements of retention. Each takes the lock of a turn, an age in seconds, and the most rows; it answers a number of rows.

use super::kind::RetainedKind;

/// Deletes the rows that `$old` selects by their key, in the order of their age.
macro_rules! delete {
    ($table:literal, $key:literal, $old:literal) => {
        concat!(
            "with turn as materialized (select pg_try_advisory_xact_lock($1) as mine),
             old as (select ",
            $key,
            " from ",
            $table,
            " t where (select mine from turn) and ",
            $old,
            " limit $3),
             deleted as (delete from ",
            $table,
            " where (",
            $key,
            ") in (select * from old) returning 1)
             select count(*) from deleted"
        )
    };
}

/// Services of the version before still add to `token_usage`, which has a row a sender and day.
const TOKEN_USAGE: &str = "with turn as materialized (select pg_try_advisory_xact_lock($1) as mine),
     last as (select (now() at time zone 'UTC' - make_interval(secs => $2))::date as day),
     old as (select day, principal, part from token_usage_parts t
        where (select mine from turn) and t.day < (select day from last) limit $3),
     deleted as (delete from token_usage_parts where (day, principal, part) in (select * from old) returning 1),
     before as (delete from token_usage t where (select mine from turn) and t.day < (select day from last) returning 1)
     select (select count(*) from deleted) + (select count(*) from before)";

/// Takes a few old sessions and empties them; a session is marked once nothing is left of it. Not one whose question is
/// being answered, or that is being scored.
macro_rules! empty {
    ($mark:literal, $parts:literal, $left:literal, $sum:literal) => {
        concat!(
            "with turn as materialized (select pg_try_advisory_xact_lock($1) as mine),
             picked as materialized (
                select s.id from alert_sessions s
                where (select mine from turn) and s.completed_at < now() - make_interval(secs => $2)
                    and s.",
            $mark,
            " is null
                    and not exists (select from stages g where g.session_id = s.id and g.status in ('pending', 'active'))
                    and not exists (select from scores p where p.session_id = s.id and p.status in ('pending', 'in_progress'))
                order by s.completed_at limit 20
             ), ",
            $parts,
            ", marked as (
                update alert_sessions set ",
            $mark,
            " = now()
                where id in (select id from picked) and not exists (",
            $left,
            ")
                returning 1
             )
             select ",
            $sum,
            " + (select count(*) from marked)"
        )
    };
}

const PROMPTS: &str = empty!(
    "prompts_deleted_at",
    "messages_deleted as (
        delete from messages where id in (
            select m.id from messages m where m.session_id in (select id from picked) limit $3)
        returning 1
     ), interactions_emptied as (
        update llm_interactions
        set llm_request = '{}', llm_response = '{}', thinking_content = null, response_metadata = null
        where id in (
            select i.id from llm_interactions i
            where i.session_id in (select id from picked)
                and (i.llm_request <> '{}' or i.llm_response <> '{}' or i.thinking_content is not null
                    or i.response_metadata is not null)
            limit $3)
        returning 1
     )",
    "select from messages_deleted union all select from interactions_emptied",
    "(select count(*) from messages_deleted) + (select count(*) from interactions_emptied)"
);

/// A call keeps what people read of it: its arguments, its outcome, and the shortened result on the timeline.
const TOOL_RESULTS: &str = empty!(
    "tool_results_deleted_at",
    "whole_deleted as (
        delete from tool_results where id in (
            select r.id from tool_results r join mcp_interactions m on m.id = r.interaction_id
            where m.session_id in (select id from picked) limit $3)
        returning 1
     ), calls_emptied as (
        update mcp_interactions set tool_result = null
        where id in (
            select m.id from mcp_interactions m
            where m.session_id in (select id from picked) and m.tool_result is not null limit $3)
        returning 1
     )",
    "select from whole_deleted union all select from calls_emptied",
    "(select count(*) from whole_deleted) + (select count(*) from calls_emptied)"
);

/// Of configurations that no session has, a day more than any program takes from its look at one to the session that has it.
const CONFIGURATIONS: &str = delete!(
    "config_snapshots",
    "digest",
    "t.used_at < now() - make_interval(secs => greatest($2, 86400))
     and t.used_at < coalesce(least(
        (select min(s.created_at) from alert_sessions s where s.deleted_at is null),
        (select min(s.created_at) from alert_sessions s where s.deleted_at is not null)), now()) - interval '1 day'"
);

/// The statement of a kind.
pub(super) const fn of(kind: RetainedKind) -> &'static str {
    match kind {
        RetainedKind::Events => delete!(
            "events",
            "session_id, seq",
            "t.created_at < now() - make_interval(secs => $2) and t.published_at is not null
             and exists (select from alert_sessions s where s.id = t.session_id
                and s.status in ('completed', 'failed', 'timed_out', 'cancelled'))"
        ),
        RetainedKind::Prompts => PROMPTS,
        RetainedKind::ToolResults => TOOL_RESULTS,
        RetainedKind::Alerts => delete!(
            "intake_alerts",
            "id",
            "t.session_id is null and (t.action <> 'hold' or t.released_at is not null)
             and t.last_received_at < now() - make_interval(secs => $2)"
        ),
        RetainedKind::Dependencies => {
            delete!("dependencies", "id", "t.last_seen_at < now() - make_interval(secs => $2)")
        }
        RetainedKind::Changes => {
            delete!("changes", "id", "t.occurred_at < now() - make_interval(secs => $2)")
        }
        // A row says that its message was sent: it stays while one may still be due, and as long as sessions are looked at.
        RetainedKind::Notifications => delete!(
            "notifications",
            "id",
            "t.finished_at < now() - make_interval(secs => greatest($2, 172800))
             and not exists (select from dead_letters d where d.notification_id = t.id and d.retried_at is null)"
        ),
        RetainedKind::DeadLetters => {
            delete!("dead_letters", "id", "t.retried_at < now() - make_interval(secs => $2)")
        }
        RetainedKind::TokenUsage => TOKEN_USAGE,
        RetainedKind::IdempotencyKeys => delete!(
            "idempotency_keys",
            "principal, key",
            "t.created_at < now() - make_interval(secs => $2)"
        ),
        RetainedKind::QuotaWindows => delete!(
            "quota_windows",
            "principal, action",
            "t.started_at < now() - make_interval(secs => $2)"
        ),
        RetainedKind::SignIns => {
            delete!("sign_ins", "id", "t.ended_at < now() - make_interval(secs => $2)")
        }
        RetainedKind::Configurations => CONFIGURATIONS,
        RetainedKind::ScheduleRuns => delete!(
            "schedule_runs",
            "schedule, due_at",
            "t.created_at < now() - make_interval(secs => $2)
             and t.due_at < (select max(l.due_at) from schedule_runs l
                where l.schedule = t.schedule and l.requested_by is null)"
        ),
    }
}
