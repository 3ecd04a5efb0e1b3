//! Writes text that is almost JSON as JSON. Only parts are repaired; whether the whole is a document is for the parser
//! to say.

mod string;
mod word;

use crate::{
    note::{Notes, Repair},
    scan::{Scan, is_space},
};

/// Levels of lists and objects; what is deeper is kept as text. `serde_json` refuses 128 levels.
pub const MAX_DEPTH: usize = 100;

/// The part that was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Open,
    Colon,
    Value,
}

struct Repairer<'a, 'n> {
    scan: Scan<'a>,
    notes: &'n mut Notes,
    out: String,
    last: Last,
    /// Whether a comma was read that is not written yet.
    comma: bool,
    depth: usize,
}

/// The text as JSON, if it is a list or an object.
pub(crate) fn repair(text: &str, notes: &mut Notes) -> Option<String> {
    if !text.trim_start_matches(is_space).starts_with(['{', '[']) {
        return None;
    }
    let out = String::with_capacity(text.len());
    let scan = Scan::new(text);
    let mut repairer = Repairer { scan, notes, out, last: Last::Open, comma: false, depth: 0 };
    while let Some(next) = repairer.scan.peek() {
        repairer.part(next)?;
    }
    Some(repairer.out)
}

impl Repairer<'_, '_> {
    fn part(&mut self, next: char) -> Option<()> {
        match next {
            space if is_space(space) => {
                self.scan.next();
                self.out.push(' ');
            }
            '{' | '[' => self.open(next),
            '}' | ']' => self.close(next),
            ',' => self.comma(),
            ':' => self.write(next, Last::Colon),
            '"' | '\'' => self.string(next),
            _ => self.word()?,
        }
        Some(())
    }

    /// Writes a character that was peeked at.
    fn write(&mut self, next: char, last: Last) {
        self.scan.next();
        self.out.push(next);
        self.last = last;
    }

    /// Writes the comma before a value.
    fn begin_value(&mut self) {
        if std::mem::take(&mut self.comma) {
            self.out.push(',');
        }
    }

    /// Writes the value that is missing after a colon.
    fn end_member(&mut self) {
        if self.last == Last::Colon {
            self.notes.add(Repair::NoValue);
            self.out.push_str("null");
            self.last = Last::Value;
        }
    }

    fn open(&mut self, next: char) {
        self.begin_value();
        if self.depth == MAX_DEPTH {
            self.deep();
            return;
        }
        self.depth += 1;
        self.write(next, Last::Open);
    }

    fn close(&mut self, next: char) {
        self.end_member();
        if std::mem::take(&mut self.comma) {
            self.notes.add(Repair::Comma);
        }
        self.depth = self.depth.saturating_sub(1);
        self.write(next, Last::Value);
    }

    fn comma(&mut self) {
        self.end_member();
        self.scan.next();
        if self.comma || self.last == Last::Open {
            self.notes.add(Repair::Comma);
        } else {
            self.comma = true;
        }
    }

    fn string(&mut self, quote: char) {
        self.begin_value();
        string::copy(&mut self.scan, quote, &mut self.out, self.notes);
        self.last = Last::Value;
    }

    /// A value without quotation marks; nothing if it is none at all.
    fn word(&mut self) -> Option<()> {
        self.begin_value();
        word::copy(&mut self.scan, &mut self.out, self.notes)?;
        self.last = Last::Value;
        Some(())
    }

    /// Writes a list or an object that is nested too deeply as text.
    fn deep(&mut self) {
        self.notes.add(Repair::Depth);
        let (start, mut depth) = (self.scan.rest(), 0_usize);
        let (mut ignored, mut nothing) = (String::new(), Notes::default());
        while let Some(next) = self.scan.peek() {
            match next {
                '"' => string::copy(&mut self.scan, next, &mut ignored, &mut nothing),
                '{' | '[' => depth += 1,
                '}' | ']' => depth -= 1,
                _ => {}
            }
            ignored.clear();
            if next != '"' {
                self.scan.next();
            }
            if depth == 0 {
                break;
            }
        }
        let length = start.len() - self.scan.rest().len();
        string::write(start.get(..length).unwrap_or_default(), &mut self.out);
        self.last = Last::Value;
    }
}
