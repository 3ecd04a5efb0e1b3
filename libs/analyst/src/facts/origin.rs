//! What the lines of a result are: of a log, a state, or neither: command lines, names, settings, alerts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use tarsy_evidence::{Entry, Node, Shape};

use super::model::Source;
use super::moment::written_at;
use super::nested;
use super::previous::is_previous;
use super::taken::take;
use crate::alert::snake;
use crate::text::regex;

/// What a line is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A program wrote it about what happened.
    Log,
    /// It shows how something is: a row, a value.
    State,
}

/// Keys of documents whose text is a message.
const MESSAGES: &[&str] = &[
    "message",
    "msg",
    "log",
    "error",
    "err",
    "reason",
    "stderr",
    "stdout",
    "exception",
    "stack",
    "stacktrace",
    "traceback",
    "entry",
    "line",
    "lines",
    "logs",
    "entries",
    "messages",
    "output",
    "note",
    "warning",
    "warnings",
    "errors",
    "recent",
    "tail",
    "content",
    "result",
    "error_message",
    "text_payload",
    "last_error",
    "status_message",
    "stopped_reason",
    "error_str",
    "response_code_details",
    "upstream_transport_failure_reason",
];
/// Keys of documents whose text is a command, a name or a rule, whatever words it has.
const QUIET: &[&str] = &[
    "command",
    "cmd",
    "cmdline",
    "command_line",
    "args",
    "argv",
    "arguments",
    "exe",
    "executable",
    "name",
    "names",
    "title",
    "severity",
    "priority",
    "description",
    "summary",
    "expr",
    "query",
    "promql",
    "rule",
    "rules",
    "labels",
    "annotations",
    "tags",
    "alertname",
    "monitor",
    "metric",
    "metric_name",
    "metrics",
    "path",
    "file",
    "url",
    "unit",
    "user",
    "image",
    "settings",
    "config",
    "env",
    "environment",
    "next",
    "tried",
    "hint",
    "help",
];
/// Keys beside a message that name what wrote it, with the kind of that; the narrowest first.
const WRITERS: &[(&str, &str)] = &[
    ("pod", "pod"),
    ("pod_name", "pod"),
    ("service", "service"),
    ("service_name", "service"),
    ("source_identifier", ""),
    ("SourceIdentifier", ""),
    ("db_instance_identifier", ""),
    ("instance", ""),
    ("host", ""),
];
/// Words of tools whose results are alerts, rules or settings.
const ALERTS: &[&str] = &[
    "alert",
    "alerts",
    "rule",
    "rules",
    "monitor",
    "monitors",
    "config",
    "configuration",
    "settings",
];
/// Words of tools that return what people wrote: of trackers, wikis, chats, repositories, plans.
const TEXTS: &[&str] = &[
    "commits",
    "jira",
    "confluence",
    "wiki",
    "notion",
    "slack",
    "runbook",
    "runbooks",
    "docs",
    "documentation",
    "dashboard",
    "dashboards",
    "panel",
    "panels",
    "flags",
    "oncall",
    "oncalls",
    "postmortem",
    "postmortems",
    "plan",
    "schema",
    "scan",
];
/// Words of tools that print logs.
const LOGS: &[&str] = &["log", "logs", "journal", "journalctl", "dmesg", "syslog"];

/// Level or type of event at the beginning of a line, or as a field.
static LEVEL: LazyLock<Regex> = regex!(
    r#"(?i)^.{0,80}?(?:^|[\s\[("':|])(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|severe|fatal|alert|emerg|panic)(?:[\]:)|"']|\s{1,4}\S)|\blevel["']?[=:]|^[iwef]\d{4} \d\d:|^traceback|^\w+(?:error|exception): "#
);
/// The time of a log at its beginning, in the forms that have no date of ISO 8601.
static STAMP: LazyLock<Regex> = regex!(
    r"^(?:<\d+>)?(?:\[ *\d+\.\d+\]|\[?[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\[?\d{1,2}/[A-Z][a-z]{2}/\d{4}|\[?\d{4}[/-]\d\d[/-]\d\d[ T]\d\d:\d\d|\[\d+\] \d{4}/|\[?\d\d:\d\d:\d\d|\S+ - \S+ \[\d)"
);
/// The heading of a table of processes or sockets with their programs.
static PROGRAMS: LazyLock<Regex> = regex!(
    r"(?i)^\s*(?:(?:\S+\s+)*pid\s+(?:\S+\s+)*(?:command|cmd|args|comm)\b|.*\bpid/program name\b|netid\s+state\b|state\s+recv-q\b|command\s+pid\b|container id\s+image\b)"
);

/// What is known of the lines of one result.
pub(super) struct Lines {
    /// The keys of documents on a line, each with its text.
    keys: BTreeMap<usize, Vec<(String, String)>>,
    /// What wrote the message on a line, as the members beside it have it: kind and name.
    writers: BTreeMap<usize, (&'static str, String)>,
    /// Lines of documents.
    inside: BTreeSet<usize>,
    /// Rows of tables of programs.
    programs: BTreeSet<usize>,
    /// Lines with records of people about other days.
    previous: BTreeSet<usize>,
    now: Option<Timestamp>,
    is_log: bool,
    is_quiet: bool,
}

impl Lines {
    pub(super) fn of(documents: &[Node], source: &Source<'_>, now: Option<Timestamp>) -> Self {
        let words = words_of(source.tool, source.command);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let mut lines = Self {
            keys: BTreeMap::new(),
            writers: BTreeMap::new(),
            inside: BTreeSet::new(),
            programs: programs(source.lines),
            previous: BTreeSet::new(),
            now,
            is_log: has(LOGS) || source.subject.kind == "log",
            is_quiet: (has(ALERTS) || has(TEXTS)) && !words.iter().any(|word| is_of_log(word)),
        };
        let is_log = lines.is_log;
        let is_document = |node: &&Node| {
            !(matches!(node.shape, Shape::Scalar(_)) || is_log && is_of_lines(node, source.lines))
        };
        for node in documents.iter().filter(is_document) {
            let mut last = node.line;
            lines.add("", node, &mut last);
            lines.inside.extend(node.line..=last);
        }
        lines
    }

    fn add(&mut self, key: &str, node: &Node, last: &mut usize) {
        *last = (*last).max(node.line);
        match &node.shape {
            Shape::Scalar(text) => {
                self.keys.entry(node.line).or_default().push((snake(key), text.clone()));
            }
            Shape::List(items) => items.iter().for_each(|item| self.add(key, item, last)),
            Shape::Map(_) if is_previous(node, self.now) => {
                let mut taken = BTreeSet::new();
                *last = (*last).max(take(node, &mut taken));
                self.previous.append(&mut taken);
            }
            Shape::Map(entries) => {
                let writer = writer_of(node).map(|(kind, name)| (kind, name.to_owned()));
                for entry in entries {
                    let is_message = is_in(MESSAGES, &snake(&entry.key));
                    if let Some(writer) = writer.as_ref().filter(|_| is_message) {
                        self.writers.insert(entry.value.line, writer.clone());
                    }
                    self.add(&entry.key, &entry.value, last);
                }
            }
        }
    }

    /// Kind and name of what wrote the message on a line, if members beside it name it.
    pub(super) fn writer(&self, number: usize) -> Option<(&'static str, &str)> {
        self.writers.get(&number).map(|(kind, name)| (*kind, name.as_str()))
    }

    /// Whether the result shows alerts, rules or settings, or the line is about another day.
    pub(super) fn is_quiet(&self, number: usize) -> bool {
        self.is_quiet || self.previous.contains(&number)
    }

    /// The words of errors in a line of a log that is no document.
    pub(super) fn errors(&self, number: usize, line: &str) -> Vec<String> {
        let is_log =
            !self.inside.contains(&number) && self.origin(number, line) == Some(Origin::Log);
        if is_log { nested::of_line(line) } else { Vec::new() }
    }

    /// What a line is from; none if it is no message, or only some of its values are.
    pub(super) fn origin(&self, number: usize, line: &str) -> Option<Origin> {
        if self.is_quiet(number) || self.programs.contains(&number) {
            return None;
        }
        if !self.inside.contains(&number) {
            let is_log = self.is_log || STAMP.is_match(line) || LEVEL.is_match(line);
            let is_log = is_log || written_at(line).is_some();
            return Some(if is_log { Origin::Log } else { Origin::State });
        }
        let keys = self.keys.get(&number)?;
        let quiet = keys.iter().any(|(key, _)| is_in(QUIET, key));
        let level =
            keys.iter().any(|(key, _)| matches!(key.as_str(), "level" | "lvl" | "loglevel"));
        let message = keys.iter().any(|(key, _)| is_in(MESSAGES, key));
        match (quiet, message) {
            _ if level && message => Some(Origin::Log),
            (true, _) => None,
            (false, true) => Some(Origin::Log),
            (false, false) => Some(Origin::State),
        }
    }

    /// The values of a line that are messages although others are not.
    pub(super) fn messages(&self, number: usize) -> impl Iterator<Item = &str> {
        let keys = self.keys.get(&number).filter(|_| !self.is_quiet);
        let messages = keys.into_iter().flatten().filter(|(key, _)| is_in(MESSAGES, key));
        messages.map(|(_, text)| text.as_str())
    }

    /// What a value of a document is from, by its key.
    pub(super) fn origin_of_value(&self, key: &str) -> Option<Origin> {
        let key = snake(key);
        let known = !self.is_quiet && !is_in(QUIET, &key);
        known.then(|| if is_in(MESSAGES, &key) { Origin::Log } else { Origin::State })
    }
}

/// Whether a document of a log is lines of it: `nc: bad address 'db'` is YAML, too.
fn is_of_lines(node: &Node, lines: &[String]) -> bool {
    let is_line = |entry: &Entry| {
        matches!(entry.value.shape, Shape::Scalar(_)) && !is_in(MESSAGES, &snake(&entry.key))
    };
    let first = lines.get(node.line.saturating_sub(1)).map_or("", |line| line.trim_start());
    !node.entries().is_empty()
        && node.entries().iter().all(is_line)
        && !first.starts_with(['{', '-'])
}

/// Kind and name of what wrote a message, as a member beside it has it.
pub(super) fn writer_of(node: &Node) -> Option<(&'static str, &str)> {
    WRITERS.iter().find_map(|(key, kind)| Some((*kind, node.get(key).and_then(Node::text)?)))
}

fn is_in(list: &[&str], key: &str) -> bool {
    list.contains(&key)
}

/// Whether a word speaks of logs: `activitylog`, but not `catalog`.
fn is_of_log(word: &str) -> bool {
    let others = ["catalog", "backlog", "dialog", "blog"];
    LOGS.contains(&word)
        || (word.ends_with("log") || word.ends_with("logs"))
            && !others.contains(&word.trim_end_matches('s'))
}

/// Whether a tool prints a log, by the words of its name or of the command line that it was given.
pub(crate) fn prints_log(tool: &str, command: &str) -> bool {
    words_of(tool, command).iter().any(|word| LOGS.contains(&word.as_str()))
}

/// The words of a tool's name, and of a command line that it was given.
fn words_of(tool: &str, command: &str) -> Vec<String> {
    let text = format!("{} {command}", tool.rsplit('.').next().unwrap_or_default());
    let text = text.split_whitespace().map(snake).collect::<Vec<_>>().join("_");
    text.split('_').map(str::to_owned).collect()
}

/// The rows below the heading of a table of programs, until a blank line.
fn programs(lines: &[String]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut inside = false;
    for (at, line) in lines.iter().enumerate() {
        inside = PROGRAMS.is_match(line) || inside && !line.trim().is_empty();
        if inside {
            found.insert(at + 1);
        }
    }
    found
}
