//! Keys and values in indented sections: `kubectl describe`, `systemctl status`, certificates, `helm status`.

use super::{Object, Readings};

/// A key whose value, or whose lines, follow.
struct Level {
    indent: usize,
    key: String,
    object: Object,
    /// Whether the sections inside are things with names, as the containers of a pod.
    is_collection: bool,
    /// Whether this names a thing and is no part of a field.
    is_object: bool,
}

/// Sections whose parts are things.
const COLLECTIONS: &[&str] =
    &["containers", "init containers", "ephemeral containers", "volumes", "rules", "targets"];
/// How deep sections may nest.
const MOST_DEPTH: usize = 32;

/// The open sections of a text.
#[derive(Default)]
pub(super) struct Sections {
    stack: Vec<Level>,
    root: Object,
    namespace: Option<String>,
}

impl Sections {
    /// What lines here belong to.
    pub(super) fn object(&self) -> Object {
        self.stack.last().map_or_else(|| self.root.clone(), |level| level.object.clone())
    }

    /// What a table belongs to: that of the section around it, if it is indented.
    pub(super) fn object_of(&self, head: &str) -> Object {
        if head.starts_with(char::is_whitespace) { self.object() } else { Object::default() }
    }

    /// Reads the line, if it is a key with a value, or opens a section.
    pub(super) fn read_line(&mut self, line: &str, number: usize, readings: &mut Readings) -> bool {
        if let Some(unit) = status_head(line) {
            self.stack.clear();
            self.root = Object::new([unit]);
            return true;
        }
        let Some((indent, key, value)) = split_key(line) else { return false };
        while self.stack.last().is_some_and(|level| level.indent >= indent) {
            self.stack.pop();
        }
        if indent == 0 && value.is_some() {
            self.name_root(key, value.unwrap_or_default(), number);
        }
        let object = self.object();
        if let Some(value) = value {
            let path: Vec<&str> = self
                .stack
                .iter()
                .filter(|level| !level.is_object)
                .map(|level| &*level.key)
                .collect();
            let below =
                path.into_iter().filter(|key| !COLLECTIONS.contains(&key.to_lowercase().as_str()));
            let field: Vec<&str> = below.chain([key]).collect();
            readings.push(&object, &field.join("."), value, number);
            self.open(indent, key, object, false);
        } else {
            if indent == 0 && self.root.is_empty() {
                self.root = Object::new([key]);
            }
            let object = if object.is_empty() { self.root.clone() } else { object };
            let inside = self.stack.last().is_some_and(|level| level.is_collection);
            let object = if inside { object.with(key) } else { object };
            self.open(indent, key, object, inside);
        }
        true
    }

    fn open(&mut self, indent: usize, key: &str, object: Object, is_object: bool) {
        if self.stack.len() < MOST_DEPTH {
            let is_collection = COLLECTIONS.contains(&key.to_lowercase().as_str());
            self.stack.push(Level {
                indent,
                key: key.to_owned(),
                object,
                is_collection,
                is_object,
            });
        }
    }

    /// `Name:` and `Namespace:` of `kubectl describe` and `helm status`.
    fn name_root(&mut self, key: &str, value: &str, number: usize) {
        match key.to_lowercase().as_str() {
            "name" => {
                self.namespace = None;
                self.root = Object::new([value]);
            }
            "namespace" => {
                let own: Vec<String> = self.root.parts().map(str::to_owned).collect();
                let own =
                    if self.namespace.is_some() { own.get(1..).unwrap_or_default() } else { &own };
                self.root =
                    Object::new(std::iter::once(value).chain(own.iter().map(String::as_str)));
                self.namespace = Some(value.to_owned());
            }
            "subject" | "container id" if self.root.is_empty() && number > 0 => {
                self.root = Object::new([value]);
            }
            _ => {}
        }
    }
}

/// `● nginx.service - A web server`
fn status_head(line: &str) -> Option<&str> {
    let rest =
        ["● ", "× ", "○ ", "↻ ", "* "].into_iter().find_map(|mark| line.strip_prefix(mark))?;
    let unit = rest.split_whitespace().next()?;
    unit.contains('.').then_some(unit)
}

/// Indentation, key and value of `  Key:  value`.
fn split_key(line: &str) -> Option<(usize, &str, Option<&str>)> {
    let text = line.trim_start_matches([' ', '\t', '<', '>', ';', '|']);
    let indent = line.len() - text.len();
    let text = text.strip_prefix("- ").unwrap_or(text);
    let (key, rest) = match text.split_once(": ").or_else(|| text.split_once(":\t")) {
        Some((key, rest)) => (key, rest.trim()),
        None => (text.trim_end().strip_suffix(':')?, ""),
    };
    let first = key.chars().next()?;
    let allowed = |c: char| {
        c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')' | '%' | '@')
    };
    let fits =
        (first.is_alphabetic() || first == '_') && key.len() <= 63 && key.chars().all(allowed);
    let words = key.split(' ').count();
    // A sentence with a colon is no key.
    (fits && words <= 4).then_some((indent, key.trim(), Some(rest).filter(|rest| !rest.is_empty())))
}
