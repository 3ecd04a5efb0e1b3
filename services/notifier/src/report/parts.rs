//! What reports are made of.

use tarsy_catalog::NotificationStatus;
use tarsy_store::Notification;

/// The most characters of a title.
pub(super) const MAX_TITLE: usize = 200;
/// The most characters of a remark, and of an error.
pub(super) const MAX_LINE: usize = 1_000;

/// A report; all texts are as they came, so that a channel must escape them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) status: NotificationStatus,
    pub(crate) mark: Mark,
    /// What happened, such as `Cause found`.
    pub(crate) headline: &'static str,
    /// The title of the alert, or its type.
    pub(crate) title: String,
    /// The cause with its confidence, or that there is none; none without a verdict.
    pub(crate) finding: Option<String>,
    /// The first thing to do; Markdown on one line.
    pub(crate) next_step: Option<String>,
    pub(crate) facts: Vec<Fact>,
    /// Why it failed.
    pub(crate) error: Option<String>,
    /// What was found, in short; Markdown.
    pub(crate) findings: Option<String>,
    /// How far the findings can be relied on.
    pub(crate) notes: Vec<Note>,
    /// The page of the session, or what else it is about.
    pub(crate) link: String,
    pub(crate) link_label: &'static str,
    /// Pages that the sender of the alert named.
    pub(crate) pages: Vec<Page>,
    /// A caution, if a model or rules wrote something of it.
    pub(crate) caution: Option<&'static str>,
}

/// How an end is marked that is no failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Found,
    /// It needs a second look.
    Doubtful,
    NoCause,
}

/// Something that the alert stated, or that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

/// A page about the alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// `http` or `https`, without a character that ends a link in some markup.
    pub(crate) url: String,
}

/// A remark about the findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) weight: Weight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Normal,
    Warning,
}

impl Report {
    /// The first line, and what telephones show: what stands out in it, what stands between, and what follows. The title of the alert
    /// with what was found, or what happened and the title.
    pub(crate) fn first_line(&self) -> (&str, &'static str, &str) {
        match &self.finding {
            Some(finding) => (&self.title, ": ", finding),
            None => (self.headline, " · ", &self.title),
        }
    }

    /// What stands before the headline where a channel shows emoji as characters.
    pub(crate) const fn symbol(&self) -> &'static str {
        match self.status {
            NotificationStatus::Started => "\u{23f3}",
            NotificationStatus::Completed => match self.mark {
                Mark::Found => "\u{2705}",
                Mark::Doubtful => "\u{26a0}\u{fe0f}",
                Mark::NoCause => "\u{26aa}",
            },
            NotificationStatus::Failed => "\u{274c}",
            NotificationStatus::TimedOut => "\u{231b}",
            NotificationStatus::Cancelled => "\u{1f6ab}",
            NotificationStatus::Approval => "\u{270b}",
        }
    }
}

/// The first so many characters of a text; one that was cut ends with `…`.
pub(crate) fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// The title of the alert, or its type, on one line.
pub(crate) fn title(note: &Notification) -> String {
    let stated = note.alert.title.as_deref().or(note.alert_type.as_deref());
    let line = stated.unwrap_or("alert").split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, MAX_TITLE)
}

/// What its alert states.
pub(super) fn facts(note: &Notification) -> impl Iterator<Item = Fact> + use<> {
    let alert = &note.alert;
    let type_beside_title = note.alert_type.as_ref().filter(|_| alert.title.is_some());
    let stated = [
        ("Severity", alert.severity.as_ref()),
        ("Type", type_beside_title),
        ("Service", alert.service.as_ref()),
        ("Namespace", alert.namespace.as_ref()),
        ("Cluster", alert.cluster.as_ref()),
    ];
    let facts = stated.map(|(name, value)| {
        let value = value?.split_whitespace().collect::<Vec<_>>().join(" ");
        (!value.is_empty()).then_some(Fact { name, value })
    });
    facts.into_iter().flatten()
}
