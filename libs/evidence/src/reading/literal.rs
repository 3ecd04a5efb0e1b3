//! JSON and Python's `repr` as a tree with line numbers. Texts that end in the middle give what they have.

use super::matrix::with_names;
use super::tree::{Entry, MOST_DEPTH, Node, Shape};

/// Reads the value that begins the text, and returns it with the bytes that it takes.
pub(super) fn literal_at(text: &str, line: usize) -> Option<(Node, usize)> {
    let mut reader = Reader { text, at: 0, line, is_cut: false };
    let node = reader.value(0)?;
    matches!(node.shape, Shape::List(_) | Shape::Map(_)).then(|| (with_names(node), reader.at))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    /// Whether the text ended inside a value.
    is_cut: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek().filter(u8::is_ascii_whitespace) {
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.skip_space();
        let line = self.line;
        let shape = match self.peek()? {
            _ if depth > MOST_DEPTH => return None,
            b'{' => self.map(depth)?,
            b'[' => Shape::List(self.list(depth, b']')?),
            b'(' => Shape::List(self.list(depth, b')')?),
            b'"' | b'\'' => Shape::Scalar(self.string()?),
            _ => Shape::Scalar(self.word(depth)?),
        };
        Some(Node { shape, line })
    }

    fn map(&mut self, depth: usize) -> Option<Shape> {
        self.at += 1;
        let mut entries = Vec::new();
        let mut values = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                None => {
                    self.is_cut = true;
                    break;
                }
                Some(_) => {}
            }
            let key = self.value(depth + 1)?;
            self.skip_space();
            if self.peek() != Some(b':') {
                // A set of Python, or the end of a cut text.
                values.push(key);
                if self.peek().is_some_and(|byte| byte != b',' && byte != b'}') {
                    return None;
                }
                continue;
            }
            self.at += 1;
            let Shape::Scalar(key) = key.shape else { return None };
            match self.value(depth + 1) {
                Some(value) => entries.push(Entry { key, value }),
                None if self.peek().is_none() => self.is_cut = true,
                None => return None,
            }
            if self.is_cut {
                break;
            }
        }
        if entries.is_empty() && !values.is_empty() {
            Some(Shape::List(values))
        } else {
            Some(Shape::Map(entries))
        }
    }

    fn list(&mut self, depth: usize, end: u8) -> Option<Vec<Node>> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(byte) if byte == end => {
                    self.at += 1;
                    return Some(items);
                }
                Some(b',') => self.at += 1,
                None => {
                    self.is_cut = true;
                    return Some(items);
                }
                Some(_) => match self.value(depth + 1) {
                    Some(item) => items.push(item),
                    None if self.peek().is_none() => self.is_cut = true,
                    None => return None,
                },
            }
            if self.is_cut {
                return Some(items);
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.text.get(self.at..)?;
            let Some(c) = rest.chars().next() else {
                self.is_cut = true;
                return Some(text);
            };
            self.at += c.len_utf8();
            match c {
                '\\' => self.escape(&mut text),
                '\n' if quote == b'\'' => return None,
                c if c == char::from(quote) => return Some(text),
                c => {
                    self.line += usize::from(c == '\n');
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        let Some(c) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else { return };
        self.at += c.len_utf8();
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => {}
            'u' | 'x' => {
                let digits = if c == 'u' { 4 } else { 2 };
                let code = self
                    .text
                    .get(self.at..self.at + digits)
                    .and_then(|hex| u32::from_str_radix(hex, 16).ok());
                if let Some(decoded) = code {
                    self.at += digits;
                    text.push(char::from_u32(decoded).unwrap_or('\u{fffd}'));
                }
            }
            other => text.push(other),
        }
    }

    /// A number, a word, or a call as `datetime.datetime(2026, 11, 23, 14, 3)`.
    fn word(&mut self, depth: usize) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_')))
            .unwrap_or(rest.len());
        let word = rest.get(..end).filter(|word| !word.is_empty() && word.len() < 80)?;
        self.at += end;
        if self.peek() == Some(b'=') {
            // An argument with its name, in a call.
            self.at += 1;
            return match self.value(depth + 1)?.shape {
                Shape::Scalar(text) => Some(text),
                _ => None,
            };
        }
        if self.peek() != Some(b'(') {
            let known = matches!(
                word,
                "true" | "false" | "null" | "True" | "False" | "None" | "NaN" | "inf"
            );
            let number = word
                .trim_start_matches('-')
                .bytes()
                .next()
                .is_some_and(|byte| byte.is_ascii_digit());
            let path = word.contains('.')
                && word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
            // Consoles of databases leave the quotes of keys out.
            let key = self.peek() == Some(b':');
            return (known || number || path || key).then(|| word.to_owned());
        }
        let from = self.at;
        let arguments = self.list(depth, b')')?;
        if word.ends_with("timedelta") {
            return self.text.get(from..self.at).map(seconds_of);
        }
        let mut texts: Vec<String> = arguments
            .into_iter()
            .filter_map(|node| match node.shape {
                Shape::Scalar(text) => Some(text),
                _ => None,
            })
            .collect();
        Some(match word.rsplit('.').next() {
            Some("datetime") => datetime(&texts),
            // `TextContent(type='text', text='…')`, as clients of the protocol print what a tool returned.
            Some("TextContent") if texts.len() > 1 => texts.swap_remove(1),
            _ => texts.join(", "),
        })
    }
}

/// The seconds of `(days=1, seconds=2472, microseconds=110000)`.
fn seconds_of(arguments: &str) -> String {
    let parts = arguments.trim_matches(['(', ')']).split(',').enumerate();
    let seconds: f64 = parts
        .filter_map(|(at, part)| {
            let (name, number) = part.split_once('=').unwrap_or(("", part));
            let size = match (name.trim(), at) {
                ("days", _) | ("", 0) => 86_400.0,
                ("seconds", _) | ("", 1) => 1.0,
                ("microseconds", _) | ("", 2) => 1e-6,
                _ => return None,
            };
            Some(number.trim().parse::<f64>().ok()? * size)
        })
        .sum();
    format!("{seconds} s")
}

fn datetime(numbers: &[String]) -> String {
    let at = |index: usize| numbers.get(index).map_or("0", String::as_str);
    format!("{}-{:0>2}-{:0>2}T{:0>2}:{:0>2}:{:0>2}", at(0), at(1), at(2), at(3), at(4), at(5))
}
