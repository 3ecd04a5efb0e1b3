//! The role of each service in PostgreSQL: which statements it may run on which table. The owner of the tables, who
//! migrates, is another one. Tests run every service under its role, and try what the roles must not do.

mod grant;

pub(crate) use self::grant::names;
pub use self::grant::{role_creation, role_grants};

/// Statements on tables, or a function.
#[derive(Clone, Copy, Debug)]
pub enum Grant {
    /// `select`, `insert`, `update`, `delete`, or `select` or `update` of columns, on tables.
    Tables(&'static str, &'static [&'static str]),
    /// Calls a function.
    Function(&'static str),
}

/// A role of PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseRole {
    pub name: &'static str,
    /// The service that uses it; `cli` is the command line.
    pub service: &'static str,
    pub grants: &'static [Grant],
}

use Grant::{Function, Tables};

pub const ROLES: [DatabaseRole; 7] = [
    DatabaseRole {
        name: "tarsy_api_gateway",
        service: "api-gateway",
        grants: &[
            Tables(
                "select",
                &[
                    "accepted_tools",
                    "agent_executions",
                    "alert_sessions",
                    "api_tokens",
                    "audit_log",
                    "chat_user_messages",
                    "chats",
                    "claim_checks",
                    "claims",
                    "daily_token_usage",
                    "dead_letters",
                    "deleted_sessions",
                    "events",
                    "idempotency_keys",
                    "intake_alerts",
                    "intake_refusals",
                    "llm_interactions",
                    "mcp_interactions",
                    "messages",
                    "overview_alerts",
                    "overview_durations",
                    "overview_hours",
                    "overview_tools",
                    "quota_windows",
                    "redacted_columns",
                    "search_documents",
                    "session_aliases",
                    "session_control",
                    "session_reviews",
                    "session_words",
                    "sign_ins",
                    "stages",
                    "summaries",
                    "timeline_events",
                    "token_usage",
                    "tool_approvals",
                    "tool_definitions",
                    "tool_results",
                    "tool_sets",
                    "verdict_alternatives",
                    "verdict_charts",
                    "verdict_evidence",
                    "verdict_next_steps",
                    "verdict_not_examined",
                    "verdicts",
                ],
            ),
            Tables(
                "insert",
                &[
                    "accepted_tools",
                    "agent_executions",
                    "alert_sessions",
                    "api_tokens",
                    "audit_log",
                    "chat_user_messages",
                    "chats",
                    "dead_letters",
                    "events",
                    "idempotency_keys",
                    "intake_alerts",
                    "intake_refusals",
                    // Records that were made elsewhere.
                    "mcp_interactions",
                    "notifications",
                    "prompt_overrides",
                    "quota_windows",
                    "session_aliases",
                    "session_control",
                    "session_reviews",
                    "sign_ins",
                    "stages",
                    "timeline_events",
                    "tool_definitions",
                    "tool_sets",
                ],
            ),
            Tables(
                "update",
                &[
                    "agent_executions",
                    "alert_sessions",
                    "api_tokens",
                    "chats",
                    "events",
                    "idempotency_keys",
                    "intake_alerts",
                    "intake_refusals",
                    "quota_windows",
                    "session_control",
                    "sign_ins",
                    "stages",
                    "summaries",
                    "timeline_events",
                    "tool_approvals",
                ],
            ),
            Tables("update (copies_removed_at)", &["deleted_sessions"]),
            // Findings that a person shares.
            Tables(
                "select (id, session_id, kind, destination, approval_id, review_id, status, finished_at)",
                &["notifications"],
            ),
            Tables(
                "update (status, failures, error, created_at, due_at, finished_at)",
                &["notifications"],
            ),
            Tables("delete", &["accepted_tools", "idempotency_keys", "intake_refusals"]),
            Function("count_overview_hours"),
            Function("delete_session"),
            Function("redact_rows"),
        ],
    },
    DatabaseRole {
        name: "tarsy_orchestrator",
        service: "orchestrator",
        grants: &[
            Tables(
                "select",
                &[
                    "accepted_tools",
                    "agent_executions",
                    "alert_sessions",
                    "chat_user_messages",
                    "chats",
                    "claim_checks",
                    "claims",
                    "daily_token_usage",
                    "events",
                    "idempotency_keys",
                    "intake_alerts",
                    "llm_interactions",
                    "llm_queue",
                    "mcp_interactions",
                    "messages",
                    "prompt_overrides",
                    "quota_windows",
                    "session_control",
                    "session_reviews",
                    "stages",
                    "summaries",
                    "timeline_events",
                    "token_usage",
                    "token_usage_parts",
                    "tool_approvals",
                    "tool_definitions",
                    "tool_results",
                    "tool_sets",
                    "verdict_alternatives",
                    "verdict_charts",
                    "verdict_evidence",
                    "verdict_next_steps",
                    "verdict_not_examined",
                    "verdicts",
                ],
            ),
            Tables(
                "insert",
                &[
                    "agent_executions",
                    "claim_checks",
                    "claims",
                    "events",
                    "llm_interactions",
                    "llm_queue",
                    "mcp_interactions",
                    "messages",
                    "stages",
                    "summaries",
                    "timeline_events",
                    "token_usage",
                    "token_usage_parts",
                    "tool_approvals",
                    "tool_definitions",
                    "tool_results",
                    "tool_sets",
                    "verdict_alternatives",
                    "verdict_charts",
                    "verdict_evidence",
                    "verdict_next_steps",
                    "verdict_not_examined",
                    "verdicts",
                ],
            ),
            Tables(
                "update",
                &[
                    "agent_executions",
                    "alert_sessions",
                    "chats",
                    "events",
                    "llm_queue",
                    "mcp_interactions",
                    "session_control",
                    "stages",
                    "summaries",
                    "timeline_events",
                    "token_usage",
                    "token_usage_parts",
                    "tool_approvals",
                ],
            ),
            // Retention.
            Tables(
                "delete",
                &[
                    "alert_sessions",
                    "dead_letters",
                    "events",
                    "idempotency_keys",
                    "intake_alerts",
                    "llm_queue",
                    "messages",
                    "notifications",
                    "quota_windows",
                    "sign_ins",
                    "token_usage",
                    "token_usage_parts",
                    "tool_results",
                ],
            ),
            Tables("select (id, ended_at)", &["sign_ins"]),
            Tables("select (id, finished_at)", &["notifications"]),
            Tables("select (id, notification_id, retried_at)", &["dead_letters"]),
            Tables(
                "update (llm_request, llm_response, thinking_content, response_metadata)",
                &["llm_interactions"],
            ),
            Tables("select", &["audit_retention"]),
            Function("delete_old_audit_entries"),
            Function("claim_session"),
            Function("take_llm_place"),
            Function("fill_search_documents"),
            Function("count_overview_hours"),
        ],
    },
    DatabaseRole {
        name: "tarsy_summarizer",
        service: "summarizer",
        grants: &[
            Tables(
                "select",
                &[
                    "agent_executions",
                    "alert_sessions",
                    "events",
                    "llm_interactions",
                    "llm_queue",
                    "mcp_interactions",
                    "messages",
                    "session_control",
                    "stages",
                    "summaries",
                    "timeline_events",
                    "token_usage",
                    "token_usage_parts",
                    "tool_results",
                ],
            ),
            Tables(
                "insert",
                &[
                    "events",
                    "llm_interactions",
                    "llm_queue",
                    "messages",
                    "timeline_events",
                    "token_usage",
                    "token_usage_parts",
                ],
            ),
            Tables(
                "update",
                &[
                    "events",
                    "llm_queue",
                    "session_control",
                    "summaries",
                    "timeline_events",
                    "token_usage",
                    "token_usage_parts",
                ],
            ),
            Tables("update (last_interaction_at)", &["alert_sessions"]),
            Tables("delete", &["llm_queue"]),
            Function("take_llm_place"),
        ],
    },
    DatabaseRole {
        name: "tarsy_stream_relay",
        service: "stream-relay",
        grants: &[Tables("select", &["events", "session_control", "timeline_events"])],
    },
    DatabaseRole {
        name: "tarsy_notifier",
        service: "notifier",
        grants: &[
            // What a notification says, and neither the alert nor the prompts.
            Tables(
                "select (id, status, alert_type, chain_id, author, slack_message_fingerprint, created_at, started_at, \
                 completed_at, final_analysis, executive_summary, error_message, review_id, claims, \
                 verified_claims, degraded_reasons, origin, verdict_id, verdict_failure, title, severity, service, \
                 namespace, cluster, links, labels, fingerprint, traceparent)",
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
            // What a message says of a call that waits for approval.
            Tables(
                "select (id, session_id, execution_id, timeline_event_id, server_name, tool_name, tool_arguments, \
                 reason, requested_at, expires_at, decision, decided_by, decided_at)",
                &["tool_approvals"],
            ),
            Tables("select (id, status)", &["timeline_events"]),
            Tables("select (id, agent_name)", &["agent_executions"]),
            // Which tools failed at every call.
            Tables(
                "select (session_id, stage_id, interaction_type, server_name, tool_name, status, refused_by_policy)",
                &["mcp_interactions"],
            ),
            Tables("select (id, chat_id)", &["stages"]),
            Tables("select", &["notification_destinations", "notifications", "restores"]),
            Tables("insert", &["dead_letters", "notification_destinations", "notifications"]),
            Tables("update", &["notification_destinations", "notifications"]),
        ],
    },
    DatabaseRole {
        name: "tarsy_mcp_gateway",
        service: "mcp-gateway",
        grants: &[
            // Of sessions, only what a replay needs: two views, and no table.
            Tables("select", &["mcp_oauth_tokens", "replayed_calls", "replayed_tools"]),
            Tables("insert", &["mcp_oauth_tokens"]),
            Tables("update", &["mcp_oauth_tokens"]),
            Tables("delete", &["mcp_oauth_tokens"]),
        ],
    },
    DatabaseRole {
        name: "tarsy_cli",
        service: "cli",
        grants: &[
            Tables("select", &["accepted_tools", "api_tokens", "dead_letters", "notifications"]),
            // How long the queue is, and who works on it.
            Tables("select (id, status, created_at)", &["alert_sessions"]),
            Tables(
                "select (session_id, owner_id, lease_expires_at, attempts, suspended_at)",
                &["session_control"],
            ),
            Tables("insert", &["accepted_tools", "api_tokens", "audit_log"]),
            Tables("update", &["api_tokens", "dead_letters", "notifications"]),
            Tables("delete", &["accepted_tools"]),
        ],
    },
];
