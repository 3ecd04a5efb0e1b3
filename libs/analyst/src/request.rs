//! What a conversation asks for: an investigation, a conclusion, a synthesis, an answer, a summary.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use crate::conversation::{Conversation, Role};
use crate::sections::{Kind, bodies, split};
use crate::text::regex;

/// The kinds of requests that TARSy makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Investigate,
    Conclude,
    Synthesize,
    Chat,
    ExecutiveSummary,
    ToolSummary,
}

/// A conversation's parts.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) task: Task,
    pub(crate) alert: String,
    pub(crate) received_at: Option<Timestamp>,
    pub(crate) background: String,
    /// What changed near the alert.
    pub(crate) changes: String,
    pub(crate) dependencies: String,
    pub(crate) question: String,
    /// The first message of the present task.
    pub(crate) since: usize,
    /// Whether the text protocol wants its mark before the conclusion.
    pub(crate) has_marker: bool,
}

/// Begins an alert that came while the agent worked, in a message of its own.
const LATER_ALERT: &str = "<received_alert ";

static QUESTION_LINE: LazyLock<Regex> = regex!(r"(?im)^(?:user(?:'s)? )?question\s*:\s*(\S.*)");
static RECEIVED: LazyLock<Regex> = regex!(r"(?m)^Received: (\S+)$");
static CONCLUDE: LazyLock<Regex> = regex!(
    r"(?i)conclu|final (?:answer|analysis|report)|iteration limit|maximum (?:number of )?iteration|no (?:more|further) tool|do not call|cannot call"
);
static MARKER: LazyLock<Regex> = regex!(r#"(?m)^\s*["'`*-]*\s*Final Answer:"#);

impl Request {
    pub(crate) fn read(conversation: &Conversation) -> Self {
        let of = |role: Role| {
            conversation.messages.iter().enumerate().filter(move |(_, one)| one.role == role)
        };
        let system: Vec<&str> = of(Role::System).map(|(_, one)| one.content.as_str()).collect();
        let system = system.join("\n");
        let users = of(Role::User).map(|(at, one)| (at, one.content.as_str()));
        let (first_user, later) = (users.clone().take(1), users.skip(1));
        let (later_alerts, later): (Vec<_>, Vec<_>) =
            later.partition(|(_, text)| text.contains(LATER_ALERT));
        let users: Vec<(usize, &str)> = first_user.chain(later).collect();
        let first = users.first().map_or("", |(_, text)| text);
        let (task, question, since) = task(conversation, &system, &users);
        let parts = split(first);
        let mut alert = bodies(&parts, Kind::Alert);
        if alert.is_empty() {
            alert = bodies(&parts, Kind::Plain);
        }
        if alert.is_empty() {
            first.clone_into(&mut alert);
        }
        for (_, text) in later_alerts {
            alert = format!("{alert}\n\n{}", bodies(&split(text), Kind::Alert));
        }
        let mut background = bodies(&parts, Kind::Background);
        if task == Task::Synthesize && background.is_empty() {
            first.clone_into(&mut background);
        }
        let changes = bodies(&parts, Kind::Changes);
        let dependencies = bodies(&parts, Kind::Dependencies);
        let has_marker = conversation.tools.is_empty() && MARKER.is_match(&system);
        let received = RECEIVED.captures(first).and_then(|found| found.get(1));
        let received_at = received.and_then(|found| found.as_str().parse().ok());
        Self {
            task,
            alert,
            received_at,
            background,
            changes,
            dependencies,
            question,
            since,
            has_marker,
        }
    }
}

fn task(
    conversation: &Conversation,
    system: &str,
    users: &[(usize, &str)],
) -> (Task, String, usize) {
    let first = users.first().map_or("", |(_, text)| text);
    let (index, last) = users.last().copied().unwrap_or((0, ""));
    let has_results = conversation.messages.iter().any(|one| one.role == Role::Tool);
    if conversation.tools.is_empty()
        && !has_results
        && users.len() == 1
        && let Some(task) = direct(system, first)
    {
        return (task, String::new(), 0);
    }
    let question = question(conversation, system, index, last);
    if !question.is_empty() {
        return (Task::Chat, question, index);
    }
    let task = if conversation.tools.is_empty() { Task::Conclude } else { Task::Investigate };
    (task, String::new(), 0)
}

fn start(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes.min(text.len()))).unwrap_or_default()
}

/// Requests of one message.
fn direct(system: &str, user: &str) -> Option<Task> {
    let both = format!("{}\n{}", start(system, 600), start(user, 200)).to_lowercase();
    if both.contains("executive summary") {
        return Some(Task::ExecutiveSummary);
    }
    let cue = if system.is_empty() { start(user, 400) } else { start(system, 400) }.to_lowercase();
    if (cue.contains("summariz") || cue.contains("summaris")) && cue.contains("tool") {
        return Some(Task::ToolSummary);
    }
    system.to_lowercase().contains("synthes").then_some(Task::Synthesize)
}

/// The question in the last message of a person, if it is a follow-up and no instruction to conclude.
fn question(conversation: &Conversation, system: &str, index: usize, last: &str) -> String {
    let titled = bodies(&split(last), Kind::Question);
    if !titled.is_empty() {
        return titled;
    }
    if let Some(found) = QUESTION_LINE.captures(last).and_then(|found| found.get(1)) {
        return found.as_str().trim().to_owned();
    }
    let earlier = conversation.messages.get(..index).unwrap_or_default();
    if earlier.iter().any(|one| one.role == Role::Assistant) {
        return if CONCLUDE.is_match(last) { String::new() } else { last.trim().to_owned() };
    }
    let system = system.to_lowercase();
    if system.contains("follow-up") && system.contains("chat") {
        return last.trim().rsplit("\n\n").next().unwrap_or_default().to_owned();
    }
    String::new()
}
