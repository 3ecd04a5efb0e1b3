//! YAML as a tree with line numbers.

use granit_parser::{Event, Parser, ScalarStyle};

use super::tree::{Entry, MOST_DEPTH, Node, Shape};

/// Nodes of one text; a bound against hostile texts.
const MOST_NODES: usize = 200_000;

/// The documents of a text, or nothing if it is no YAML.
pub(super) fn documents(text: &str) -> Option<Vec<Node>> {
    let mut builder =
        Builder { parser: Parser::new_from_str(text), text, lines: Vec::new(), nodes: 0 };
    let mut documents = Vec::new();
    while let Some((event, line)) = builder.next()? {
        match event {
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentEnd
            | Event::DocumentStart(..) => {}
            event => documents.push(builder.node(event, line, 0)?),
        }
    }
    documents
        .iter()
        .all(|node| matches!(node.shape, Shape::Map(_) | Shape::List(_)))
        .then_some(documents)
}

/// Writers of YAML break a text at a blank near column 80; the word behind it is seldom longer than 30 letters.
const LEAST_BROKEN: usize = 50;

/// Whether lines, from 1, are one text that a writer of YAML broke: all but the last are long, and none has columns.
fn is_broken(lines: &[&str], first: usize, last: usize) -> bool {
    let Some(of_text) = lines.get(first.saturating_sub(1)..last) else { return false };
    let [broken @ .., end] = of_text else { return false };
    let has_columns = |line: &&str| line.trim().contains("  ");
    !broken.is_empty()
        && broken.iter().all(|line| line.chars().count() >= LEAST_BROKEN)
        && !broken.iter().chain([end]).any(has_columns)
}

struct Builder<'t> {
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    text: &'t str,
    /// Of the text; read when the first plain text over several lines comes.
    lines: Vec<&'t str>,
    nodes: usize,
}

impl<'t> Builder<'t> {
    fn is_broken(&mut self, first: usize, last: usize) -> bool {
        if self.lines.is_empty() {
            self.lines = self.text.lines().collect();
        }
        is_broken(&self.lines, first, last)
    }

    /// The next event and its line. The outer nothing is an error, the inner one the end.
    #[expect(
        clippy::option_option,
        reason = "an error and the end differ, and neither carries anything"
    )]
    fn next(&mut self) -> Option<Option<(Event<'t>, usize)>> {
        loop {
            match self.parser.next_event() {
                None => return Some(None),
                // A plain text over several lines is a table or prose below a word with a colon, unless a writer broke it.
                Some(Ok((Event::Scalar(_, ScalarStyle::Plain, ..), span)))
                    if span.end.line() > span.start.line()
                        && !self.is_broken(span.start.line(), span.end.line()) =>
                {
                    return None;
                }
                Some(Ok((Event::Comment(..) | Event::Anchor(..), _))) => {}
                Some(Ok((event, span))) => return Some(Some((event, span.start.line()))),
                Some(Err(_)) => return None,
            }
        }
    }

    fn node(&mut self, event: Event<'t>, line: usize, depth: usize) -> Option<Node> {
        self.nodes += 1;
        if self.nodes > MOST_NODES || depth > MOST_DEPTH {
            return None;
        }
        let shape = match event {
            Event::Scalar(text, style, ..) => {
                // The text of a block begins below its key.
                let below =
                    usize::from(matches!(style, ScalarStyle::Literal | ScalarStyle::Folded));
                return Some(Node { shape: Shape::Scalar(text.into_owned()), line: line + below });
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()?? {
                        (Event::SequenceEnd, _) => break Shape::List(items),
                        (event, line) => items.push(self.node(event, line, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => Shape::Map(self.entries(depth)?),
            // Aliases are rare in what tools print.
            _ => Shape::Scalar(String::new()),
        };
        Some(Node { shape, line })
    }

    fn entries(&mut self, depth: usize) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        loop {
            let (event, line) = self.next()??;
            if matches!(event, Event::MappingEnd) {
                return Some(entries);
            }
            let Shape::Scalar(key) = self.node(event, line, depth + 1)?.shape else { return None };
            let (event, line) = self.next()??;
            entries.push(Entry { key, value: self.node(event, line, depth + 1)? });
        }
    }
}
