//! `[call 3]` and how else people write it.

use std::ops::Range;

/// A reference to a call, and to a line of its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Citation {
    pub(super) call: u32,
    pub(super) line: Option<usize>,
    /// The whole reference, with its brackets.
    pub(super) range: Range<usize>,
}

/// Calls that one reference may name: `[calls 2-40]`.
const MOST_IN_RANGE: u32 = 64;

/// The citations of a text, in order.
pub(super) fn citations(text: &str) -> Vec<Citation> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = lower.get(from..).and_then(|rest| rest.find("call")).map(|at| at + from) {
        from = at + 4;
        let before = lower.get(..at).and_then(|head| head.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '`' | '/')) {
            continue;
        }
        let bracket = before.filter(|c| matches!(c, '[' | '('));
        let start = at - usize::from(bracket.is_some());
        let mut reader = Reader { text: &lower, at: at + 4 };
        let Some(calls) = reader.calls() else { continue };
        let line = reader.line();
        let end = match bracket {
            Some('[') => reader.close(']'),
            Some(_) => reader.close(')'),
            None => reader.at,
        };
        found.extend(calls.into_iter().map(|call| Citation { call, line, range: start..end }));
        from = end.max(from);
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self, wanted: &[&str]) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = wanted.iter().find(|one| rest.starts_with(**one)).map(|one| one.len());
        self.at += length.unwrap_or(0);
        length.is_some()
    }

    fn number(&mut self) -> Option<u32> {
        let rest = self.text.get(self.at..)?;
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest.get(..count)?.parse().ok()?;
        self.at += count;
        Some(number)
    }

    fn calls(&mut self) -> Option<Vec<u32>> {
        self.skip(&["s"]);
        if !self.skip(&[" #", " no. ", " ", "#", "-", "_", "\u{a0}"]) {
            return None;
        }
        let first = self.number()?;
        // `call 3 times` and `call 2.5` cite nothing.
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(" time") || rest.starts_with(|c: char| c.is_alphanumeric() || c == '%')
        {
            return None;
        }
        let mut calls = vec![first];
        loop {
            let kept = self.at;
            let is_range = self.skip(&["-", "–", " to ", "..", " – "]);
            if !is_range && !self.skip(&[", and ", ", ", " and ", ",", " & "]) {
                break;
            }
            self.skip(&["call ", "calls ", "#"]);
            let Some(next) = self.number().filter(|_| self.ends_number()) else {
                self.at = kept;
                break;
            };
            let last = calls.last().copied().unwrap_or(next);
            if is_range && next > last && next - last <= MOST_IN_RANGE {
                calls.extend(last + 1..=next);
            } else {
                calls.push(next);
            }
        }
        Some(calls)
    }

    /// Whether a number in a list is a call's: `call 3, 4]` but not `call 3, 40 pods`.
    fn ends_number(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.starts_with([']', ')', ',', '-', '–']) || rest.starts_with(" and ")
    }

    /// `, line 12`, `: lines 3-5`
    fn line(&mut self) -> Option<usize> {
        let kept = self.at;
        self.skip(&[", ", ": ", " ", "; "]);
        if self.skip(&["lines ", "line ", "l."])
            && let Some(line) = self.number()
        {
            if self.skip(&["-", "–", " to ", " and ", ", "]) && self.number().is_none() {
                return usize::try_from(line).ok();
            }
            return usize::try_from(line).ok();
        }
        self.at = kept;
        None
    }

    /// Behind the closing bracket, if it is near.
    fn close(&self, bracket: char) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = rest
            .find([bracket, '\n'])
            .filter(|at| *at <= 120 && rest.get(*at..).is_some_and(|r| r.starts_with(bracket)));
        // What follows the number inside the brackets may be a claim of its own.
        found.map_or(self.at, |at| if at <= 2 { self.at + at + 1 } else { self.at })
    }
}
