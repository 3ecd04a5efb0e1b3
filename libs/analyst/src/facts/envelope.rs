//! What a server returned inside an object of its own: the output of a command, a log, the answer of an interface.

use serde_json::{Map, Value};
use tarsy_evidence::{Node, Shape, documents, without_frame};

/// Keys of what is inside, the likeliest first.
const INSIDE: &[&str] = &[
    "stdout",
    "output",
    "text",
    "content",
    "result",
    "data",
    "logs",
    "log",
    "logs_content",
    "json",
    "body",
    "response",
    "value",
    "stderr",
];
/// How deep objects lie in each other.
const DEEPEST: usize = 4;

/// A result without what stands around it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) text: String,
    /// The same with an object in place of each row of a table of Markdown about a cluster; empty if there is none.
    pub(super) named: String,
    /// The line of the result that all lines come from; 0 if each has kept its own.
    pub(super) line: usize,
}

/// The text that a result is about: what its object has inside, if that is more than half of it; else all of it, without tags.
pub(super) fn opened(text: &str) -> Opened {
    let bare = without_frame(text);
    // A text with lines, or a document, is written with escapes.
    let may_hold = bare.trim_start().starts_with(['{', '[']) && text.contains('\\');
    let documents = if may_hold { documents(text) } else { Vec::new() };
    let inside = match documents.as_slice() {
        [document] => inner(document, DEEPEST)
            .filter(|(inner, _)| inner.len() * 2 > text.len() || is_flat(document)),
        _ => None,
    };
    let (text, line) = inside.unwrap_or_else(|| (bare.into_owned(), 0));
    Opened { named: of_markdown(&text).unwrap_or_default(), text, line }
}

impl Opened {
    /// The text that documents are read from.
    pub(super) fn documents(&self) -> Vec<Node> {
        documents(if self.named.is_empty() { &self.text } else { &self.named })
    }
}

/// A text whose tables of Markdown about events and objects have an object in each row; none without such a table. Lines keep
/// their numbers.
fn of_markdown(text: &str) -> Option<String> {
    let mut names: Option<Vec<String>> = None;
    let mut is_found = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let Some(cells) = cells(line) else {
            names = None;
            lines.push(line.to_owned());
            continue;
        };
        let is_rule = |cell: &&str| cell.bytes().all(|byte| matches!(byte, b'-' | b':'));
        match &names {
            None => {
                names = Some(cells.iter().map(|cell| key_of(cell)).collect());
                lines.push(line.to_owned());
            }
            Some(names) if is_about_objects(names) && !cells.iter().all(is_rule) => {
                let values = cells.iter().map(|cell| Value::from(*cell));
                let row: Map<String, Value> = names.iter().cloned().zip(values).collect();
                lines.push(Value::from(row).to_string());
                is_found = true;
            }
            Some(_) => lines.push(line.to_owned()),
        }
    }
    is_found.then(|| lines.join("\n"))
}

/// The cells of a row between bars.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(|cell| cell.trim().trim_matches(['`', '*'])).collect())
}

/// `Last Seen` is `lastSeen`.
fn key_of(cell: &str) -> String {
    let mut words = cell.split([' ', '_']).map(str::to_lowercase);
    let first = words.next().unwrap_or_default();
    let others = words.map(|word| {
        let head = word.get(..1).unwrap_or_default().to_uppercase();
        format!("{head}{}", word.get(1..).unwrap_or_default())
    });
    std::iter::once(first).chain(others).collect()
}

/// Whether the rows below these names are events, or objects with their states.
fn is_about_objects(names: &[String]) -> bool {
    let has = |name: &str| names.iter().any(|one| one == name);
    has("reason") && has("message") && has("object")
        || has("name") && (has("ready") || has("restarts")) && (has("status") || has("phase"))
}

/// Whether a value has texts and numbers alone, or is one such object inside others.
fn is_flat(node: &Node) -> bool {
    match &node.shape {
        Shape::Scalar(_) => true,
        Shape::List(items) => items.iter().all(is_flat),
        Shape::Map(entries) => match entries.as_slice() {
            [only] => is_flat(&only.value),
            all => all.iter().all(|entry| matches!(entry.value.shape, Shape::Scalar(_))),
        },
    }
}

/// The text inside an object, with its line; none if there is none with lines, and no document.
fn inner(node: &Node, depth: usize) -> Option<(String, usize)> {
    match &node.shape {
        Shape::Scalar(text) => {
            let is_document = text.trim_start().starts_with(['{', '[']);
            (is_document || text.trim().contains('\n')).then(|| (text.clone(), node.line))
        }
        _ if depth == 0 => None,
        Shape::List(items) => {
            let parts: Option<Vec<(String, usize)>> = items
                .iter()
                .map(|item| match &item.shape {
                    Shape::Scalar(_) => inner(item, depth - 1),
                    _ => {
                        item.get("text").and_then(|text| Some((text.text()?.to_owned(), text.line)))
                    }
                })
                .collect();
            let parts = parts.filter(|parts| !parts.is_empty())?;
            let line = parts.first().map_or(node.line, |part| part.1);
            let texts: Vec<String> = parts.into_iter().map(|part| part.0).collect();
            Some((texts.join("\n"), line))
        }
        Shape::Map(_) => INSIDE.iter().find_map(|key| inner(node.get(key)?, depth - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_command_is_what_counts() {
        let shown = "NAME    STATUS\nweb-1   Error\n";
        for text in [
            r#"{"status": "success", "output": "NAME    STATUS\nweb-1   Error\n", "exit_code": 0}"#,
            r#"[{"type": "text", "text": "NAME    STATUS\nweb-1   Error\n"}]"#,
            r#"{"response": {"json": "NAME    STATUS\nweb-1   Error\n"}}"#,
            r"[TextContent(type='text', text='NAME    STATUS\nweb-1   Error\n', annotations=None)]",
        ] {
            let opened = opened(text);
            assert_eq!((&*opened.text, opened.line), (shown, 1), "{text}");
        }
    }

    #[test]
    fn an_object_with_more_than_a_text_stays_whole() {
        for text in [
            r#"{"pods": [{"name": "web-1", "text": "a\nb"}], "namespace": "shop", "count": 1}"#,
            r#"{"result": "up"}"#,
            "plain\ntext\n",
        ] {
            assert_eq!(opened(text).line, 0, "{text}");
        }
    }
}
