//! The alert of a session, as prompts show it.

use tarsy_catalog::ResolvedChain;
use tarsy_store::Session;

use crate::prompts::fence::fenced;

/// The alert and its runbook, fenced.
#[derive(Clone, Debug)]
pub(crate) struct Alert<'a> {
    pub(super) status: &'a str,
    pub(super) kind: Option<&'a str>,
    pub(super) received: String,
    /// Cut to half of `max_tokens`.
    pub(super) data: String,
    /// The runbook that the alert names, or else the default one.
    pub(super) runbook: String,
    /// The address of a runbook that could not be fetched.
    pub(super) missing_runbook: Option<&'a str>,
    /// The most that the whole prompt may contain, in tokens.
    pub(super) max_tokens: usize,
}

impl<'a> Alert<'a> {
    pub(crate) fn new(session: &'a Session, chain: &ResolvedChain, max_tokens: usize) -> Self {
        let data = &session.alert_data;
        let cut = tarsy_tokens::cut(data, max_tokens / 2);
        let runbook = session.runbook.as_deref().unwrap_or(&chain.runbook);
        Self {
            status: session.status.as_str(),
            kind: session.alert_type.as_deref(),
            received: session.created_at.to_string(),
            data: fenced(cut.as_deref().unwrap_or(data)),
            runbook: fenced(runbook.trim()),
            missing_runbook: session.runbook_url.as_deref().filter(|_| session.runbook.is_none()),
            max_tokens,
        }
    }
}
