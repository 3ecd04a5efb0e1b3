//! The routes, with what each requires and whether the audit log has it.

use http::Method;
use tarsy_domain::access::Permission;

use crate::access::{CALLBACK_PATH, SIGN_IN_PATH};
use crate::http::reviews::REVIEW_ACTION;
use crate::http::triage::TRIAGE_ACTION;
use crate::http::{intake, redactions, websocket};

/// Where clients of the Model Context Protocol call tools.
pub(in crate::http) const MCP_PATH: &str = "/mcp";

/// What a route requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// Nothing: probes, and signing in.
    Nothing,
    /// Any sender that is identified.
    Sender,
    /// A sender with this permission.
    Permission(Permission),
    /// The signature of Slack; what the person who used a button may do is checked by the handler.
    SlackSignature,
    /// What the configured alert source or messenger is verified by; its handler looks at it.
    SourceVerification,
}

/// Whether a request that is allowed goes into the audit log; one that is denied always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audited {
    Always,
    Denials,
}

pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) requires: Requirement,
    pub(super) audited: Audited,
    /// What it does, for the audit log.
    pub(super) action: &'static str,
}

const fn read(path: &'static str, permission: Permission) -> Route {
    let requires = Requirement::Permission(permission);
    Route { method: Method::GET, path, requires, audited: Audited::Denials, action: "read" }
}

/// Answers from what is sent and what is configured, and changes nothing.
const fn compute(path: &'static str) -> Route {
    let requires = Requirement::Permission(Permission::Read);
    Route { method: Method::POST, path, requires, audited: Audited::Denials, action: "read" }
}

/// Tries a connection.
const fn connection(path: &'static str, action: &'static str) -> Route {
    change(Method::POST, path, Permission::AcceptTools, action)
}

const fn trace(path: &'static str) -> Route {
    let requires = Requirement::Permission(Permission::ReadTrace);
    Route { method: Method::GET, path, requires, audited: Audited::Always, action: "read_trace" }
}

const fn change(
    method: Method,
    path: &'static str,
    permission: Permission,
    action: &'static str,
) -> Route {
    let requires = Requirement::Permission(permission);
    Route { method, path, requires, audited: Audited::Always, action }
}

const fn public(path: &'static str) -> Route {
    let requires = Requirement::Nothing;
    Route { method: Method::GET, path, requires, audited: Audited::Denials, action: "read" }
}

const fn own(method: Method, path: &'static str, audited: Audited, action: &'static str) -> Route {
    Route { method, path, requires: Requirement::Sender, audited, action }
}

/// Its handler writes the entries of those whose signature fits.
const fn from_slack(path: &'static str, action: &'static str) -> Route {
    let requires = Requirement::SlackSignature;
    Route { method: Method::POST, path, requires, audited: Audited::Denials, action }
}

const fn from_source(path: &'static str, action: &'static str) -> Route {
    let requires = Requirement::SourceVerification;
    Route { method: Method::POST, path, requires, audited: Audited::Denials, action }
}

pub(super) const ROUTES: &[Route] = &[
    public("/health"),
    public(SIGN_IN_PATH),
    public(CALLBACK_PATH),
    own(Method::POST, "/api/v1/sign-out", Audited::Always, "sign_out"),
    own(Method::POST, "/api/v1/unlock", Audited::Always, "unlock"),
    own(Method::GET, "/api/v1/me", Audited::Denials, "read"),
    change(Method::POST, "/api/v1/alerts", Permission::SubmitAlert, "submit_alert"),
    from_source(intake::PATH, "receive_alerts"),
    read("/api/v1/changes", Permission::Read),
    change(Method::POST, "/api/v1/changes", Permission::SubmitAlert, "record_changes"),
    read("/api/v1/dependencies", Permission::Read),
    change(Method::POST, "/api/v1/topology", Permission::SubmitAlert, "record_topology"),
    read("/api/v1/intake/alerts", Permission::Read),
    read("/api/v1/intake/refused", Permission::Read),
    read("/api/v1/sessions", Permission::Read),
    read("/api/v1/search", Permission::Read),
    read("/api/v1/overview", Permission::Read),
    read("/api/v1/prevention", Permission::Read),
    read("/api/v1/overview/scores", Permission::Read),
    read("/api/v1/sessions/active", Permission::Read),
    read("/api/v1/sessions/filter-options", Permission::Read),
    read("/api/v1/sessions/{id}", Permission::Read),
    change(Method::DELETE, "/api/v1/sessions/{id}", Permission::DeleteSession, "delete_session"),
    read("/api/v1/sessions/{id}/summary", Permission::Read),
    read("/api/v1/sessions/{id}/status", Permission::Read),
    read("/api/v1/sessions/{id}/timeline", Permission::Read),
    read("/api/v1/sessions/{id}/alerts", Permission::Read),
    read("/api/v1/sessions/{id}/claims", Permission::Read),
    read("/api/v1/sessions/{id}/postmortem", Permission::Read),
    change(
        Method::POST,
        "/api/v1/sessions/{id}/postmortem/prose",
        Permission::ReviewSession,
        "request_postmortem_prose",
    ),
    change(
        Method::PUT,
        "/api/v1/sessions/{id}/postmortem/prose",
        Permission::ReviewSession,
        "edit_postmortem_prose",
    ),
    change(
        Method::POST,
        "/api/v1/sessions/{id}/cancel",
        Permission::CancelSession,
        "cancel_session",
    ),
    change(
        Method::POST,
        "/api/v1/sessions/{id}/chat/messages",
        Permission::AskQuestion,
        "ask_question",
    ),
    read("/api/v1/sessions/{id}/review", Permission::Read),
    change(Method::PUT, "/api/v1/sessions/{id}/review", Permission::ReviewSession, REVIEW_ACTION),
    read("/api/v1/sessions/{id}/score", Permission::Read),
    change(Method::POST, "/api/v1/sessions/{id}/score", Permission::ReviewSession, "score_session"),
    read("/api/v1/schedules", Permission::Read),
    change(Method::POST, "/api/v1/schedules/{name}/runs", Permission::RunSchedule, "run_schedule"),
    read("/api/v1/memories", Permission::Read),
    read("/api/v1/memories/{id}", Permission::Read),
    change(Method::PATCH, "/api/v1/memories/{id}", Permission::ReviewSession, "edit_memory"),
    change(Method::DELETE, "/api/v1/memories/{id}", Permission::ReviewSession, "delete_memory"),
    read("/api/v1/sessions/{id}/triage", Permission::Read),
    change(Method::POST, "/api/v1/sessions/{id}/triage", Permission::TriageSession, TRIAGE_ACTION),
    change(Method::POST, "/api/v1/sessions/{id}/share", Permission::ShareFinding, "share_finding"),
    read("/api/v1/approvals", Permission::Read),
    change(
        Method::POST,
        "/api/v1/sessions/{id}/approvals/{approval_id}",
        Permission::ApproveCall,
        "decide_approval",
    ),
    change(
        Method::POST,
        "/api/v1/sessions/{id}/actions/{action_id}/rollback",
        Permission::ApproveCall,
        "roll_back_action",
    ),
    from_slack("/api/v1/slack/interactions", "slack_interaction"),
    from_slack("/api/v1/slack/events", "slack_event"),
    from_source("/api/v1/mattermost/commands", "mattermost_command"),
    from_source("/api/v1/teams/messages", "teams_message"),
    change(
        Method::POST,
        "/api/v1/system/mcp-servers/{server}/accept",
        Permission::AcceptTools,
        "accept_tools",
    ),
    connection("/api/v1/system/mcp-servers/{server}/test", "test_tool_server"),
    connection("/api/v1/system/llm-providers/{provider}/test", "test_llm_provider"),
    read("/api/v1/system/connections", Permission::Read),
    compute("/api/v1/system/connections"),
    change(Method::POST, "/api/v1/system/connections/trial", Permission::TryAddress, "try_address"),
    trace("/api/v1/sessions/{id}/trace"),
    trace("/api/v1/sessions/{id}/trace/llm/{interaction_id}"),
    trace("/api/v1/sessions/{id}/trace/mcp/{interaction_id}"),
    trace("/api/v1/sessions/{id}/trace/mcp/{interaction_id}/result"),
    trace("/api/v1/sessions/{id}/recording"),
    trace("/api/v1/sessions/{id}/comparison"),
    change(
        Method::POST,
        "/api/v1/sessions/{id}/replay",
        Permission::ReplaySession,
        "replay_session",
    ),
    change(Method::POST, "/api/v1/demo", Permission::SubmitAlert, "start_demo"),
    change(Method::POST, "/api/v1/recordings", Permission::ReplaySession, "create_recording"),
    read("/api/v1/system/info", Permission::Read),
    read("/api/v1/system/warnings", Permission::Read),
    read("/api/v1/system/mcp-servers", Permission::Read),
    read("/api/v1/system/services", Permission::Read),
    read("/api/v1/system/state", Permission::Read),
    read("/api/v1/system/default-tools", Permission::Read),
    read("/api/v1/system/config", Permission::ReadConfig),
    change(
        Method::POST,
        "/api/v1/system/config/reload",
        Permission::ReloadConfig,
        "reload_configuration",
    ),
    read("/api/v1/alert-types", Permission::Read),
    read("/api/v1/example-alerts", Permission::Read),
    read("/api/v1/runbooks", Permission::Read),
    change(Method::POST, "/api/v1/redactions", Permission::RedactText, redactions::ACTION),
    read("/api/v1/audit-log", Permission::ReadAuditLog),
    read("/api/v1/tokens", Permission::ManageTokens),
    change(Method::POST, "/api/v1/tokens", Permission::ManageTokens, "create_token"),
    change(Method::DELETE, "/api/v1/tokens/{id}", Permission::ManageTokens, "revoke_token"),
    read("/api/v1/sign-ins", Permission::ManageSignIns),
    change(Method::DELETE, "/api/v1/sign-ins/{id}", Permission::ManageSignIns, "revoke_sign_in"),
    read(websocket::PATH, Permission::Read),
    // What a call does is a request of its own.
    own(Method::POST, MCP_PATH, Audited::Denials, "call_tool_of_tarsy"),
];
