//! Messages: the lines of logs, and texts inside documents that describe no object.

use std::collections::{BTreeSet, HashMap};

use tarsy_evidence::{Node, Shape};

use super::model::{Facts, Message, Source};
use crate::text::{age_seconds, template};
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
            return;
        }
        if self.messages.len() >= MOST_MESSAGES {
            return;
        }
        self.seen.insert(key, self.messages.len());
        let target = target_of(text, source.subject);
        #[expect(clippy::cast_precision_loss, reason = "at most 1000")]
        let place = permille as f64 / 1_000.0;
        let (text, result) = (text.to_owned(), source.result);
        self.messages.push(Message { text, target, count: 1, result, line, place });
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
