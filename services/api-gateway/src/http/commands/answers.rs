//! What people read of their commands.

use tarsy_catalog::Catalog;
use tarsy_contracts::failure::FailureView;
use tarsy_contracts::session::SessionItem;
use tarsy_domain::access::Role;
use tarsy_domain::id::SessionId;
use tarsy_domain::messenger::Messenger;
use tarsy_domain::status::SessionStatus;
use tarsy_store::SessionQuery;

use super::markup::{code, link, shown};

/// The most characters of a title, of a cause, and of a reason.
const MAX_TITLE: usize = 120;
const MAX_CAUSE: usize = 300;
const MAX_REASON: usize = 500;
/// The most types of alerts that are named.
const MAX_TYPES: usize = 20;

/// The newest sessions of a person.
pub(super) fn sessions_of(author: &str, most: usize) -> SessionQuery {
    SessionQuery { author: Some(author.to_owned()), ..newest(most) }
}

/// The newest sessions that wait or run.
pub(super) fn running_sessions(most: usize) -> SessionQuery {
    let statuses =
        vec![SessionStatus::Pending, SessionStatus::InProgress, SessionStatus::Cancelling];
    SessionQuery { statuses, ..newest(most) }
}

fn newest(most: usize) -> SessionQuery {
    let page_size = i64::try_from(most).unwrap_or(i64::MAX);
    SessionQuery { page: 1, page_size, descending: true, ..SessionQuery::default() }
}

/// The texts of answers in one messenger.
#[derive(Clone, Copy)]
pub(super) struct Answers<'a> {
    pub(super) messenger: Messenger,
    pub(super) dashboard_url: &'a str,
}

impl Answers<'_> {
    fn shown(&self, text: &str, most: usize) -> String {
        shown(self.messenger, text, most)
    }

    fn page(&self, session: SessionId) -> String {
        let url = format!("{}/sessions/{session}", self.dashboard_url);
        link(self.messenger, "Open the session", &url)
    }

    pub(super) fn begun(&self, session: SessionId) -> String {
        format!("The investigation has begun. Its result is posted here. {}", self.page(session))
    }

    pub(super) fn not_begun(&self, why: &str) -> String {
        format!("Nothing was begun: {}", self.shown(why, MAX_REASON))
    }

    pub(super) fn asked(&self, session: SessionId) -> String {
        format!("Your question was received. The answer is posted here. {}", self.page(session))
    }

    pub(super) fn not_asked(&self, why: &str) -> String {
        format!("Your question was not asked: {}", self.shown(why, MAX_REASON))
    }

    pub(super) fn ask_where() -> String {
        format!(
            "Your question was not asked: no investigation belongs to this thread. Ask in the thread of one, or write {}.",
            code("ask SESSION QUESTION")
        )
    }

    pub(super) fn no_session(session: SessionId) -> String {
        format!("There is no session {session}. Write {} for those of now.", code("status"))
    }

    pub(super) fn unlisted(&self, section: &str, user: &str) -> String {
        format!(
            "TARSy does not know you. An administrator can add your id {} to {section}.users, with a role.",
            self.shown(user, MAX_TITLE)
        )
    }

    pub(super) fn foreign(&self, section: &str, workspace: &str) -> String {
        format!(
            "TARSy takes no commands from here. An administrator can add {} to {section}.workspaces.",
            self.shown(workspace, MAX_TITLE)
        )
    }

    pub(super) fn without_role(role: Role) -> String {
        format!("Your role in TARSy does not allow this; it takes the role {role}.")
    }

    pub(super) fn unknown(&self, catalog: &Catalog) -> String {
        format!("This is no command of TARSy.\n{}", self.help(catalog))
    }

    pub(super) fn help(&self, catalog: &Catalog) -> String {
        let types = catalog.alert_types();
        let named: Vec<String> = types
            .iter()
            .take(MAX_TYPES)
            .map(|one| self.shown(&one.alert_type, MAX_TITLE))
            .collect();
        let lines = [
            format!(
                "{} begins an investigation. Before the text there may be a type and labels: {}",
                code("investigate TEXT"),
                code("investigate TYPE: namespace=shop severity=critical TEXT")
            ),
            format!(
                "{} says how far the investigation of this thread is; elsewhere, what runs and what you asked for. Or {}",
                code("status"),
                code("status SESSION")
            ),
            format!(
                "{} asks about the investigation of this thread. Or {}",
                code("ask QUESTION"),
                code("ask SESSION QUESTION")
            ),
            format!(
                "Types of alerts: {} (without one: {})",
                named.join(", "),
                catalog.default_alert_type()
            ),
        ];
        lines.join("\n")
    }

    /// How far a session is, in full.
    pub(super) fn status(&self, item: &SessionItem) -> String {
        let mut lines = vec![self.line(item)];
        let failed = item.failure.as_ref().map(FailureView::sentences);
        if let Some(error) = failed.as_deref().or(item.error_message.as_deref()) {
            lines.push(self.shown(error, MAX_REASON));
        } else if item.finding.is_none()
            && let Some(summary) = item.executive_summary.as_deref()
        {
            lines.push(self.shown(summary, MAX_REASON));
        }
        lines.join("\n")
    }

    pub(super) fn list(&self, own: &[SessionItem], running: &[SessionItem]) -> String {
        if own.is_empty() && running.is_empty() {
            return "No investigation runs, and you have begun none.".to_owned();
        }
        let group = |title: &str, items: &[SessionItem]| {
            let lines = items.iter().map(|item| self.line(item));
            std::iter::once(title.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
        };
        let groups = [("Yours:", own), ("Running:", running)];
        let groups = groups.iter().filter(|(_, items)| !items.is_empty());
        groups.map(|(title, items)| group(title, items)).collect::<Vec<_>>().join("\n")
    }

    fn line(&self, item: &SessionItem) -> String {
        let title = item.title.as_deref().or(item.alert_type.as_deref()).unwrap_or("An alert");
        let waits = if item.waiting_for_approval { ", waits for approval" } else { "" };
        let found = item.finding.as_ref().map(|finding| self.shown(&finding.headline, MAX_CAUSE));
        let found = found.map(|found| format!(": {found}")).unwrap_or_default();
        let (title, status) = (self.shown(title, MAX_TITLE), words(item.status));
        format!("• {title} – {status}{waits}{found} · {}", self.page(item.id))
    }
}

const fn words(status: SessionStatus) -> &'static str {
    match status {
        SessionStatus::Pending => "waits for a worker",
        SessionStatus::InProgress => "runs",
        SessionStatus::Cancelling => "is being cancelled",
        SessionStatus::Completed => "completed",
        SessionStatus::Failed => "failed",
        SessionStatus::TimedOut => "timed out",
        SessionStatus::Cancelled => "cancelled",
    }
}
