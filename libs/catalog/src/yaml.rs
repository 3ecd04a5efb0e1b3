//! A YAML text as a tree whose every node knows its place and how it was written.

mod templates;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{Event, Parser, ScalarStyle, Span};

pub use self::templates::SESSION_ID_TEMPLATE;
pub(crate) use self::templates::names as template_names;
use self::templates::{expand, hide, restore};
pub use self::value::yaml_value;
use crate::env::Env;
use crate::path::Path;
use crate::report::Problem;

/// Nodes a file may have, aliases spelled out; a bound against hostile files.
const MOST_NODES: usize = 200_000;
/// A place in a file; both from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Self { line: span.start.line(), column: span.start.col() + 1 }
    }
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A value; `written` keeps `{{.NAME}}` as it stood in the file.
    Scalar {
        text: String,
        written: String,
        plain: bool,
    },
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) value: Node,
}

impl Node {
    /// Whether nothing was written here.
    pub(crate) fn is_null(&self) -> bool {
        match &self.kind {
            Kind::Scalar { text, plain, .. } => {
                *plain && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    /// Adds the places of values that name variables.
    pub(crate) fn variables(&self, places: &mut BTreeSet<(usize, usize)>) {
        match &self.kind {
            Kind::Scalar { text, written, .. } if text != written => {
                places.insert((self.place.line, self.place.column));
            }
            Kind::Scalar { .. } => {}
            Kind::List(items) => items.iter().for_each(|item| item.variables(places)),
            Kind::Map(entries) => entries.iter().for_each(|entry| entry.value.variables(places)),
        }
    }

    /// The entries, when this is a mapping.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a key, when this is a mapping that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }
}

/// Reads a file into a tree; an empty file is an empty mapping. Without an environment, `{{.NAME}}` stays as it is.
pub(crate) fn parse(file: &str, text: &str, env: Option<&Env>) -> (Node, Vec<Problem>) {
    let mut builder = Builder {
        file,
        env,
        anchors: BTreeMap::new(),
        nodes: 0,
        problems: Vec::new(),
        twins: BTreeMap::new(),
        documents: 0,
    };
    let hidden = match hide(text) {
        Ok(hidden) => hidden,
        Err((line, column)) => {
            let place = Place { line, column };
            let message = "a character of the private use area is not allowed here";
            builder.problem(place, message, Some("remove the character"));
            return (Builder::empty(), builder.problems);
        }
    };
    let mut parser = Parser::new_from_str(hidden.trim_start_matches('\u{feff}'));
    let node = builder.stream(&mut parser).unwrap_or_else(|stop| {
        builder.problem(stop.0, &stop.1, stop.2.as_deref());
        Builder::empty()
    });
    let mut problems = builder.problems;
    for problem in &mut problems {
        let here = Place { line: problem.line, column: problem.column };
        let place = builder.twins.get(&here).copied().unwrap_or(here);
        let path = path_of(&node, place, &Path::root());
        problem.key = path.map(|path| path.to_string()).unwrap_or_default();
    }
    (node, problems)
}

/// The path of the value at a place.
fn path_of(node: &Node, place: Place, path: &Path) -> Option<Path> {
    match &node.kind {
        Kind::Scalar { .. } => (node.place == place).then(|| path.clone()),
        Kind::List(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| path_of(item, place, &path.index(index))),
        Kind::Map(entries) => entries.iter().find_map(|entry| {
            let here = path.key(&entry.key);
            if entry.place == place {
                return Some(here);
            }
            path_of(&entry.value, place, &here)
        }),
    }
}

/// Why reading stopped: place, message, suggestion.
struct Stop(Place, String, Option<String>);

struct Builder<'a> {
    file: &'a str,
    env: Option<&'a Env>,
    anchors: BTreeMap<usize, Node>,
    nodes: usize,
    problems: Vec<Problem>,
    /// From the place of a repeated key to that of the first one.
    twins: BTreeMap<Place, Place>,
    documents: usize,
}

type Events<'a, 'b> = &'a mut Parser<'b, granit_parser::StrInput<'b>>;

impl Builder<'_> {
    fn empty() -> Node {
        Node { place: Place { line: 1, column: 1 }, kind: Kind::Map(Vec::new()) }
    }

    fn problem(&mut self, place: Place, message: &str, suggestion: Option<&str>) {
        self.problems.push(Problem {
            file: self.file.to_owned(),
            line: place.line,
            column: place.column,
            key: String::new(),
            message: message.to_owned(),
            suggestion: suggestion.map(str::to_owned),
        });
    }

    fn next<'b>(parser: Events<'_, 'b>) -> Result<Option<(Event<'b>, Span)>, Stop> {
        loop {
            match parser.next_event() {
                None => return Ok(None),
                Some(Ok((Event::Comment(..) | Event::Anchor(..), _))) => {}
                Some(Ok(event)) => return Ok(Some(event)),
                Some(Err(error)) => {
                    let marker = error.marker();
                    let place = Place { line: marker.line(), column: marker.col() + 1 };
                    let message = format!("not valid YAML: {}", restore(&error.info()));
                    let advice = "check indentation, quotes and colons around this line";
                    return Err(Stop(place, message, Some(advice.to_owned())));
                }
            }
        }
    }

    fn stream(&mut self, parser: Events<'_, '_>) -> Result<Node, Stop> {
        let mut root = None;
        while let Some((event, span)) = Self::next(parser)? {
            match event {
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
                Event::DocumentStart(..) => {
                    self.documents += 1;
                    if self.documents > 1 {
                        return Err(Stop(
                            span.into(),
                            "a second document begins here".to_owned(),
                            Some("keep one document in a file: remove the `---`".to_owned()),
                        ));
                    }
                }
                other => root = Some(self.node(parser, other, span)?),
            }
        }
        let root = root.unwrap_or_else(Self::empty);
        match root.kind {
            Kind::Map(_) => Ok(root),
            _ if root.is_null() => Ok(Self::empty()),
            _ => Err(Stop(
                root.place,
                "the file must hold keys and values".to_owned(),
                Some("begin with a key such as `agents:`".to_owned()),
            )),
        }
    }

    fn node(&mut self, parser: Events<'_, '_>, event: Event<'_>, span: Span) -> Result<Node, Stop> {
        let place = Place::from(span);
        self.count(place, 1)?;
        let (anchor, kind) = match event {
            Event::Scalar(value, style, anchor, tag) => {
                if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
                    return Err(Stop(
                        place,
                        format!("the tag {} has no meaning here", tag.original()),
                        Some("remove the tag".to_owned()),
                    ));
                }
                (anchor, self.scalar(place, &value, style == ScalarStyle::Plain))
            }
            Event::Alias(anchor) => {
                let node = self
                    .anchors
                    .get(&anchor)
                    .cloned()
                    .ok_or_else(|| Stop(place, "the anchor holds itself".to_owned(), None))?;
                self.count(place, size(&node))?;
                return Ok(node);
            }
            Event::SequenceStart(_, anchor, _) => (anchor, self.list(parser)?),
            Event::MappingStart(_, anchor, _) => (anchor, self.map(parser)?),
            other => return Err(Stop(place, format!("unexpected {other:?}"), None)),
        };
        let node = Node { place, kind };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn count(&mut self, place: Place, nodes: usize) -> Result<(), Stop> {
        self.nodes += nodes;
        if self.nodes > MOST_NODES {
            return Err(Stop(
                place,
                format!("the file has more than {MOST_NODES} values"),
                Some("remove aliases that repeat large parts".to_owned()),
            ));
        }
        Ok(())
    }

    fn list(&mut self, parser: Events<'_, '_>) -> Result<Kind, Stop> {
        let mut items = Vec::new();
        while let Some((event, span)) = Self::next(parser)? {
            if event == Event::SequenceEnd {
                break;
            }
            items.push(self.node(parser, event, span)?);
        }
        Ok(Kind::List(items))
    }

    fn map(&mut self, parser: Events<'_, '_>) -> Result<Kind, Stop> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut merged: Vec<Entry> = Vec::new();
        while let Some((event, span)) = Self::next(parser)? {
            if event == Event::MappingEnd {
                break;
            }
            let place = Place::from(span);
            let Kind::Scalar { text: key, .. } = self.node(parser, event, span)?.kind else {
                return Err(Stop(
                    place,
                    "a key must be plain text".to_owned(),
                    Some("put text that begins with [ or { in quotes".to_owned()),
                ));
            };
            let Some((event, span)) = Self::next(parser)? else { break };
            let value = self.node(parser, event, span)?;
            if key == "<<" {
                merged.extend(merge_source(value));
            } else if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                let message = format!("the key is already set in line {}", first.place.line);
                self.twins.insert(place, first.place);
                self.problem(place, &message, Some("keep one of the two"));
            } else {
                entries.push(Entry { key, place, value });
            }
        }
        for entry in merged {
            if !entries.iter().any(|known| known.key == entry.key) {
                entries.push(entry);
            }
        }
        Ok(Kind::Map(entries))
    }

    fn scalar(&mut self, place: Place, value: &str, plain: bool) -> Kind {
        let Some(env) = self.env else {
            let text = restore(value);
            return Kind::Scalar { written: text.clone(), text, plain };
        };
        let (text, unset) = expand(value, env);
        for name in unset {
            let message = format!("the variable {name} is not set");
            let advice = format!("set {name} in the environment, or write the value here");
            self.problem(place, &message, Some(&advice));
        }
        Kind::Scalar { text, written: restore(value), plain }
    }
}

/// The entries of what `<<` refers to: a mapping or a list of them.
fn merge_source(value: Node) -> Vec<Entry> {
    match value.kind {
        Kind::Map(entries) => entries,
        Kind::List(items) => items.into_iter().flat_map(merge_source).collect(),
        Kind::Scalar { .. } => Vec::new(),
    }
}

fn size(node: &Node) -> usize {
    match &node.kind {
        Kind::Scalar { .. } => 1,
        Kind::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Kind::Map(entries) => 1 + entries.iter().map(|entry| 1 + size(&entry.value)).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests;
