//! Messages: the lines of logs, and texts inside documents that describe no object.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use tarsy_evidence::{Node, Shape};

use super::model::{Facts, Message, Source};
use crate::text::{age_seconds, regex, template};
use crate::verdict::Target;

/// Lines that objects and events are read from.
pub(super) type Taken = BTreeSet<usize>;

/// Different messages of one result; a bound on time.
const MOST_MESSAGES: usize = 3_000;
/// Longer messages are searched in their texts.
const LONGEST_MESSAGE: usize = 2_000;
/// Shorter values of documents are states and names, not messages.
const SHORTEST_VALUE: usize = 3;

/// Adds the messages of one result.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>, taken: &Taken) {
    let mut list = List { seen: HashMap::new(), messages: Vec::new() };
    let count = source.lines.len().max(1);
    for (at, line) in source.lines.iter().enumerate() {
        let number = at + 1;
        if taken.contains(&number) || line.trim().is_empty() {
            continue;
        }
        if line.len() <= LONGEST_MESSAGE {
            list.push(line.trim(), number, number * 1_000 / count, source);
        }
    }
    for node in documents {
        add_texts(&mut list, node, source, taken);
    }
    facts.messages.append(&mut list.messages);
}

struct List {
    /// From templates to places in `messages`.
    seen: HashMap<String, usize>,
    messages: Vec<Message>,
}

impl List {
    fn push(&mut self, text: &str, line: usize, permille: usize, source: &Source<'_>) {
        let key = template(text);
        if let Some(message) = self.seen.get(&key).and_then(|at| self.messages.get_mut(*at)) {
            message.count += 1;
            message.written_at = written_at(text).max(message.written_at);
            return;
        }
        if self.messages.len() >= MOST_MESSAGES {
            return;
        }
        self.seen.insert(key, self.messages.len());
        let target = target_of(text, source.subject);
        #[expect(clippy::cast_precision_loss, reason = "at most 1000")]
        let place = permille as f64 / 1_000.0;
        self.messages.push(Message {
            written_at: written_at(text),
            text: text.to_owned(),
            target,
            count: 1,
            result: source.result,
            line,
            place,
        });
    }
}

/// The texts of a document whose lines are too long to be messages.
fn add_texts(list: &mut List, node: &Node, source: &Source<'_>, taken: &Taken) {
    match &node.shape {
        Shape::Scalar(text) => {
            let line = source.lines.get(node.line.saturating_sub(1));
            let is_long = line.is_some_and(|line| line.len() > LONGEST_MESSAGE);
            if !is_long || taken.contains(&node.line) || text.len() < SHORTEST_VALUE {
                return;
            }
            for part in text.lines().filter(|part| part.len() <= LONGEST_MESSAGE) {
                list.push(part.trim(), node.line, 500, source);
            }
        }
        Shape::List(items) => items.iter().for_each(|item| add_texts(list, item, source, taken)),
        Shape::Map(entries) => {
            for entry in entries {
                add_texts(list, &entry.value, source, taken);
            }
        }
    }
}

/// The time that a message begins with, also inside of quotation marks or brackets, and where it ends; without an offset
/// it is UTC.
fn time_of(text: &str) -> Option<(Timestamp, usize)> {
    static TIME: LazyLock<Regex> = regex!(
        r#"^[\["'\s]{0,4}(?:\w{1,12}[=:] ?"?)?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?"#
    );
    let found = TIME.captures(text)?;
    let part = |at| found.get(at).map_or("", |part| part.as_str());
    let offset = if part(3).is_empty() { "Z" } else { part(3) };
    let time = format!("{}T{}{offset}", part(1), part(2)).parse().ok()?;
    Some((time, found.get(0)?.end()))
}

fn written_at(text: &str) -> Option<Timestamp> {
    time_of(text).map(|(time, _)| time)
}

impl Message {
    /// The message without the time before it and the marks of a list around it.
    pub(crate) fn bare(&self) -> &str {
        let text = self.text.trim().trim_end_matches(',');
        let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = quoted.unwrap_or(text);
        let time = time_of(text).map_or(0, |(_, end)| end);
        text.get(time..)
            .unwrap_or(text)
            .trim_start_matches(|c: char| c.is_whitespace() || "]:-|".contains(c))
    }
}

/// What a message belongs to: what the call asked for, or the pod before it (`[pod/web-1/web] …`, `web-1 | …`).
fn target_of(text: &str, subject: &Target) -> Target {
    if let Some((pod, _)) = text.strip_prefix("[pod/").and_then(|rest| rest.split_once(['/', ']']))
    {
        return Target::new("Pod", pod, &subject.namespace);
    }
    if age_seconds(&subject.name).is_some() {
        return Target::default();
    }
    Target::new(super::kind::shown_kind(&subject.kind), &subject.name, &subject.namespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_old_as_the_time_at_its_beginning() {
        let time = |text| time_of(text).map(|(time, _)| time.to_string());
        let noon = Some("2026-11-23T12:00:05Z".to_owned());
        for text in [
            "2026-11-23T12:00:05Z err: out of memory",
            "\"2026-11-23 12:00:05,448 ERROR no space left\",",
            "[2026-11-23T14:00:05.123+02:00] timed out",
            "time=\"2026-11-23T12:00:05Z\" level=error",
        ] {
            assert_eq!(time(text), noon, "{text}");
        }
        assert_eq!(time("the certificate expired at 2026-11-23T12:00:05Z"), None);
    }
}
