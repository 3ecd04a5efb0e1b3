//! Messages: the lines of logs, and texts inside documents that describe no object. Command lines, names, settings and
//! alerts are none.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use tarsy_evidence::{Node, Shape};

use super::model::{Facts, Message, Source};
use super::moment::{stamp_of, time_of, written_at};
use super::nested;
use super::origin::{Lines, Origin, writer_of};
use super::previous::is_previous;
use super::taken::Taken;
use crate::text::{age_seconds, regex, template};
use crate::verdict::Target;

/// Different messages of one result; a bound on time.
const MOST_MESSAGES: usize = 3_000;
/// Longer messages are searched in their texts.
const LONGEST_MESSAGE: usize = 2_000;
/// Shorter values of documents are states and names, not messages.
const SHORTEST_VALUE: usize = 3;

/// Adds the messages of one result.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>, taken: &Taken) {
    let now = facts.received_at;
    let mut list = List { seen: HashMap::new(), messages: Vec::new(), writer: None, now };
    let count = source.lines.len().max(1);
    let lines = Lines::of(documents, source, now);
    let mut errors: HashMap<usize, Vec<String>> = HashMap::new();
    for (line, text) in documents.iter().flat_map(nested::of_document) {
        errors.entry(line).or_default().push(text);
    }
    for (at, line) in source.lines.iter().enumerate() {
        let number = at + 1;
        if taken.contains(&number) || line.trim().is_empty() || line.len() > LONGEST_MESSAGE {
            continue;
        }
        let place = Place { line: number, permille: number * 1_000 / count };
        list.writer = written_by(lines.writer(number), source);
        let origin = lines.origin(number, line);
        // The message of an error comes before the line that contains it: it is more specific.
        if !lines.is_quiet(number) {
            let nested = errors.remove(&number).unwrap_or_else(|| lines.errors(number, line));
            for text in nested {
                list.push(text.trim(), Origin::Log, place, source);
            }
        }
        match origin {
            Some(origin) => list.push(line.trim(), origin, place, source),
            None => {
                for text in lines.messages(number) {
                    list.push(text.trim(), Origin::Log, place, source);
                }
            }
        }
    }
    list.writer = None;
    for node in documents {
        add_texts(&mut list, "", node, (source, &lines), taken);
    }
    facts.messages.append(&mut list.messages);
}

/// Where a message stands in its result.
#[derive(Clone, Copy)]
struct Place {
    line: usize,
    permille: usize,
}

impl Place {
    /// From 0 for the first line to 1 for the last.
    fn share(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "at most 1000")]
        let permille = self.permille as f64;
        permille / 1_000.0
    }
}

struct List {
    /// From templates to places in `messages`.
    seen: HashMap<String, usize>,
    messages: Vec<Message>,
    /// What wrote the message that is added.
    writer: Option<Target>,
    /// When the alert was received.
    now: Option<Timestamp>,
}

impl List {
    fn push(&mut self, text: &str, origin: Origin, place: Place, source: &Source<'_>) {
        let key = template(text);
        let written = written_at(text);
        let line = source.lines.get(place.line.saturating_sub(1)).map_or(text, String::as_str);
        let stamped = self.now.filter(|_| written.is_none()).and_then(|now| stamp_of(line, now));
        if let Some(message) = self.seen.get(&key).and_then(|at| self.messages.get_mut(*at)) {
            message.count += 1;
            message.place = place.share();
            message.written_at = written.max(message.written_at);
            message.stamped_at = stamped.max(message.stamped_at);
            return;
        }
        if self.messages.len() >= MOST_MESSAGES {
            return;
        }
        self.seen.insert(key, self.messages.len());
        let target = self.writer.clone().unwrap_or_else(|| target_of(text, source.subject));
        self.messages.push(Message {
            written_at: written,
            stamped_at: stamped,
            text: text.to_owned(),
            is_log: origin == Origin::Log,
            target,
            count: 1,
            result: source.result,
            line: place.line,
            place: place.share(),
        });
    }
}

/// The texts of a document whose lines are too long to be messages.
fn add_texts(
    list: &mut List,
    key: &str,
    node: &Node,
    (source, lines): (&Source<'_>, &Lines),
    taken: &Taken,
) {
    match &node.shape {
        Shape::Scalar(text) => {
            let line = source.lines.get(node.line.saturating_sub(1));
            let is_long = line.is_some_and(|line| line.len() > LONGEST_MESSAGE);
            if !is_long || taken.contains(&node.line) || text.len() < SHORTEST_VALUE {
                return;
            }
            let Some(origin) = lines.origin_of_value(key) else { return };
            for part in text.lines().filter(|part| part.len() <= LONGEST_MESSAGE) {
                let place = Place { line: node.line, permille: 500 };
                list.push(part.trim(), origin, place, source);
            }
        }
        Shape::List(items) => {
            for item in items {
                list.writer = None;
                add_texts(list, key, item, (source, lines), taken);
            }
        }
        Shape::Map(_) if is_previous(node, list.now) => {}
        Shape::Map(entries) => {
            list.writer = written_by(writer_of(node), source).or(list.writer.take());
            for entry in entries {
                add_texts(list, &entry.key, &entry.value, (source, lines), taken);
            }
        }
    }
}

impl Message {
    /// The message without the time before it, and without the marks of a list and the key around it.
    pub(crate) fn bare(&self) -> &str {
        static MEMBER: LazyLock<Regex> =
            regex!(r#"(?i)^"(?:message|msg|log|error|reason|note|line|entry)"\s*:\s*"(.+?)"$"#);
        let text = self.text.trim().trim_end_matches(',');
        let member = MEMBER.captures(text).and_then(|found| found.get(1));
        let text = member.map_or(text, |found| found.as_str());
        let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = quoted.unwrap_or(text);
        let time = time_of(text).map_or(0, |(_, end)| end);
        text.get(time..)
            .unwrap_or(text)
            .trim_start_matches(|c: char| c.is_whitespace() || "]:-|".contains(c))
    }
}

/// What wrote a message, as a member beside it has it; none if the call asked for one object.
fn written_by(writer: Option<(&'static str, &str)>, source: &Source<'_>) -> Option<Target> {
    let (kind, name) = writer.filter(|_| source.subject.name.is_empty())?;
    Some(Target::new(super::kind::shown_kind(kind), name, &source.subject.namespace))
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
