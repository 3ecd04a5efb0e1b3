//! What notifier may run.

use super::privilege::Grant::{self, Tables};

pub(super) const GRANTS: &[Grant] = &[
    // What a notification says, and neither the alert nor the prompts.
    Tables(
        "select (id, status, alert_type, chain_id, author, slack_message_fingerprint, created_at, started_at, \
         completed_at, final_analysis, executive_summary, error_message, failure, review_id, claims, \
         verified_claims, degraded_reasons, origin, verdict_id, verdict_failure, deleted_at, title, severity, service, \
         namespace, cluster, links, labels, fingerprint, traceparent, triage, assignee, triage_entry_id)",
        &["alert_sessions"],
    ),
    // By which id the source of an alert knows it.
    Tables("select (session_id, seq, source, source_id)", &["intake_alerts"]),
    Tables(
        "select",
        &[
            "verdict_alternatives",
            "verdict_charts",
            "verdict_evidence",
            "verdict_next_steps",
            "verdict_not_examined",
            "verdicts",
        ],
    ),
    Tables("select (id, review, reviewer, created_at)", &["session_reviews"]),
    Tables("select (id, triage, created_at)", &["triage_entries"]),
    Tables("select (schedule, due_at, session_id, notify)", &["schedule_runs"]),
    // What a message says of a call that waits for approval.
    Tables(
        "select (id, session_id, execution_id, call_id, timeline_event_id, server_name, tool_name, tool_arguments, \
         reason, requested_at, expires_at, decision, decided_by, decided_at)",
        &["tool_approvals"],
    ),
    // What an action is to do, and what became of it.
    Tables("select", &["actions"]),
    // Whether a call still waits, and the text that may have asked for it.
    Tables(
        "select (id, session_id, sequence_number, event_type, status, metadata)",
        &["timeline_events"],
    ),
    // Answers to questions, and where they were asked.
    Tables("select (id, agent_name, stage_id, conclusion)", &["agent_executions"]),
    Tables("select (messenger, channel, thread, session_id, question_id)", &["commands"]),
    Tables("select (id, content, created_at)", &["chat_user_messages"]),
    Tables(
        "select (session_id, stage_id, interaction_type, call_id, server_name, tool_name, status, refused_by_policy)",
        &["mcp_interactions"],
    ),
    Tables(
        "select (id, session_id, chat_id, chat_user_message_id, status, error_message, completed_at)",
        &["stages"],
    ),
    Tables("select", &["notification_destinations", "notifications", "restores"]),
    // The weekly message.
    Tables("select", &["weekly_deliveries", "weekly_messages"]),
    Tables("update", &["weekly_deliveries"]),
    Tables("update (found)", &["weekly_messages"]),
    Tables("insert", &["dead_letters", "notification_destinations", "notifications"]),
    Tables("update", &["notification_destinations", "notifications"]),
];
