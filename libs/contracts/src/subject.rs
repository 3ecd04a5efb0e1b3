//! Every subject of the bus, built in one place.

use tarsy_domain::id::{SessionId, SummaryId};

/// Wake-up: a session may be pending.
pub const WORK_SESSION: &str = "tarsy.work.session";
/// Wake-up: a chat turn may be pending.
pub const WORK_CHAT: &str = "tarsy.work.chat";
/// Wake-up: a summary may be pending.
pub const WORK_SUMMARIZE: &str = "tarsy.work.summarize";
/// Alerts that are queued while PostgreSQL is unavailable.
pub const INTAKE_ALERT: &str = "tarsy.intake.alert";
/// Every persistent event of every session.
pub const EVENTS_ALL: &str = "tarsy.events.session.*.*";
/// Every status change of every session.
pub const EVENTS_STATUS: &str = "tarsy.events.session.*.session_status";
/// Every cancel request.
pub const CONTROL_CANCEL_ALL: &str = "tarsy.control.cancel.*";
/// Requests to every service to start again with the configuration as it is now.
pub const CONTROL_RELOAD: &str = "tarsy.control.reload";
/// The text that flows in any session.
pub const LIVE_SESSION_ALL: &str = "tarsy.live.session.*";
/// Requests for the text that an owner of a session is streaming.
pub const LIVE_SNAPSHOT_ALL: &str = "tarsy.live.snapshot.*";
/// Requests for the text that summarizers of a session are streaming.
pub const LIVE_SUMMARIES_ALL: &str = "tarsy.live.snapshot.*.summaries";
/// Every end of a summary.
pub const SUMMARY_FINISHED_ALL: &str = "tarsy.done.*";
/// Every verb of every gateway instance.
pub const MCP_INSTANCE_ALL: &str = "tarsy.mcp.i.*.*";
/// Leases that one gateway hands on to another.
pub const MCP_INSTANCE_OPEN_ALL: &str = "tarsy.mcp.i.*.open";
/// Transient copies of what moves in the session list.
pub const LIVE_SESSIONS: &str = "tarsy.live.sessions";
/// Opens a lease at any gateway with capacity.
pub const MCP_OPEN: &str = "tarsy.mcp.open";
/// How busy each gateway is, for the other gateways.
pub const MCP_LOAD: &str = "tarsy.mcp.load";
/// Asks any gateway for the tools of a server.
pub const MCP_PROBE: &str = "tarsy.mcp.probe";
/// Asks any gateway for the tools of a server that is not configured.
pub const MCP_TRIAL: &str = "tarsy.mcp.trial";
/// Starts a login at a tool server, at any gateway.
pub const MCP_LOGIN: &str = "tarsy.mcp.login";
/// Has no subscriber: a request to it returns after the server processed everything that was sent before.
pub const FLUSH: &str = "tarsy.flush";
/// The queue group that gateways answer in.
pub const MCP_QUEUE: &str = "mcp-gateway";

/// Whether a subject carries live text, which has a connection of its own.
pub fn is_live(subject: &str) -> bool {
    subject.starts_with("tarsy.live.")
}

/// One persistent event: the type's dots become underscores, so that it is one token.
pub fn event(session: SessionId, kind: &str) -> String {
    format!("tarsy.events.session.{session}.{}", kind.replace('.', "_"))
}

/// Every persistent event of one session.
pub fn events_of(session: SessionId) -> String {
    format!("tarsy.events.session.{session}.*")
}

/// The text that flows in one session.
pub fn live_session(session: SessionId) -> String {
    format!("tarsy.live.session.{session}")
}

/// Asks the owner of a session for the text that is still streaming.
pub fn live_snapshot(session: SessionId) -> String {
    format!("tarsy.live.snapshot.{session}")
}

pub fn summary_finished(summary: SummaryId) -> String {
    format!("tarsy.done.{summary}")
}

/// Asks the summarizers of a session for the text that is still streaming.
pub fn live_summaries(session: SessionId) -> String {
    format!("tarsy.live.snapshot.{session}.summaries")
}

/// Asks the owner of a session to stop.
pub fn control_cancel(session: SessionId) -> String {
    format!("tarsy.control.cancel.{session}")
}

/// The session that a cancel request names.
pub fn cancelled_session(subject: &str) -> Option<SessionId> {
    subject.strip_prefix("tarsy.control.cancel.")?.parse().ok()
}

/// What a gateway instance is asked on a lease it owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpVerb {
    /// Opens a lease at this instance: a busier one hands the request on.
    Open,
    /// Calls a tool.
    Call,
    List,
    /// Cancels a running call.
    Cancel,
    /// Keeps the lease alive.
    Renew,
    /// Gives the lease back.
    Close,
    /// Tells what became of a call.
    Outcome,
    /// Ends a login that began there.
    Login,
}

impl McpVerb {
    pub const ALL: [Self; 8] = [
        Self::Open,
        Self::Call,
        Self::List,
        Self::Cancel,
        Self::Renew,
        Self::Close,
        Self::Outcome,
        Self::Login,
    ];

    /// The verb as a subject token.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Call => "call",
            Self::List => "list",
            Self::Cancel => "cancel",
            Self::Renew => "renew",
            Self::Close => "close",
            Self::Outcome => "outcome",
            Self::Login => "login",
        }
    }
}

/// Where a user receives the answers to its requests; each user has a prefix of its own, so that none reads another's.
pub fn inbox(user: &str) -> String {
    format!("_INBOX_{user}")
}

/// Whether a pattern with wildcards takes every subject that `subject`, which may have wildcards too, stands for.
pub fn covers(pattern: &str, subject: &str) -> bool {
    let (mut wide, mut narrow) = (pattern.split('.'), subject.split('.'));
    loop {
        match (wide.next(), narrow.next()) {
            (None, None) | (Some(">"), Some(_)) => return true,
            (Some("*"), Some(token)) if token != ">" => {}
            (Some(wide), Some(narrow)) if wide == narrow => {}
            _ => return false,
        }
    }
}

/// A verb of one gateway instance.
pub fn mcp_instance(instance: &str, verb: McpVerb) -> String {
    format!("tarsy.mcp.i.{instance}.{}", verb.token())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_type_is_one_token_of_its_subject() {
        let id = SessionId::new();
        let subject = event(id, "timeline_event.created");
        assert_eq!(subject, format!("tarsy.events.session.{id}.timeline_event_created"));
        assert_eq!(subject.split('.').count(), EVENTS_ALL.split('.').count());
    }

    #[test]
    fn a_pattern_covers_what_it_receives() {
        for (pattern, subject) in
            [("a.*", "a.b"), ("a.>", "a.b.c"), ("a.>", "a.*.c"), ("a.*", "a.*"), (">", "a")]
        {
            assert!(covers(pattern, subject), "{pattern} {subject}");
        }
        for (pattern, subject) in
            [("a.*", "a.b.c"), ("a.>", "a"), ("a.*", "a.>"), ("a.b", "a.*"), ("a.*.c", "a.b")]
        {
            assert!(!covers(pattern, subject), "{pattern} {subject}");
        }
    }

    #[test]
    fn a_cancel_subject_names_its_session() {
        let id = SessionId::new();
        assert_eq!(cancelled_session(&control_cancel(id)), Some(id));
        assert_eq!(cancelled_session("tarsy.control.cancel.nonsense"), None);
    }
}
