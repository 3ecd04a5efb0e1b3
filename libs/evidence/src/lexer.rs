//! Splits a line of a result, or a sentence of a finding, into numbers, moments and words.

use crate::moment::{Moment, moment_at};
use crate::quantity::{Quantity, Unit};

/// A part of a text that says something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    pub(crate) kind: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Quantity(Quantity),
    Moment(Moment),
    Word,
}

impl Token<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn quantity(&self) -> Option<Quantity> {
        match self.kind {
            TokenKind::Quantity(quantity) => Some(quantity),
            _ => None,
        }
    }
}

/// Reads a whole text as tokens, in order. A chunk such as `web-3:5432` is a word, followed by the numbers in it.
pub(crate) fn lex(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new() };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

/// The one quantity that a text is, as a cell of a table or a value of JSON.
pub(crate) fn whole_quantity(text: &str) -> Option<Quantity> {
    let trimmed = text.trim().trim_start_matches(['-', '+', '~']);
    if trimmed.is_empty() || trimmed.len() > 32 || !trimmed.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    let (quantity, length) = quantity_at(trimmed)?;
    let rest = trimmed.get(length..)?;
    if rest.is_empty() {
        return Some(quantity);
    }
    let unit = Unit::parse(rest.trim()).filter(|_| quantity.unit == Unit::NONE)?;
    Some(Quantity { unit, ..quantity })
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token<'t>>,
}

/// Whether a chunk ends here.
fn separates(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '`'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | ','
                | ';'
                | '='
                | '|'
                | '*'
                | '!'
                | '?'
                | '&'
                | '\\'
                | '~'
                | '^'
                | '$'
        )
        || (!c.is_ascii() && !c.is_alphanumeric() && c != 'µ')
}

impl<'t> Lexer<'t> {
    fn step(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            self.at = self.text.len();
            return;
        };
        if separates(first) || (!first.is_alphanumeric() && !matches!(first, '/' | '_' | '.')) {
            self.at += first.len_utf8();
            return;
        }
        if let Some((moment, length)) = moment_at(rest) {
            self.push(self.at, length, TokenKind::Moment(moment));
            self.at += length;
            return;
        }
        let rest = self.without_list(rest);
        if let Some(length) = self.compound_duration(rest) {
            self.at += length;
            return;
        }
        let length = chunk_length(rest);
        let chunk = rest
            .get(..length)
            .unwrap_or_default()
            .trim_end_matches(['.', ':', '/', '-', '+', '@', '#']);
        self.chunk(chunk);
        self.at += self.consumed(chunk.len().max(1), length);
    }

    /// The text up to the next comma inside a list such as `12,100,311,2`, where commas group no digits.
    fn without_list(&self, rest: &'t str) -> &'t str {
        let follows = self.at > 0 && self.text.as_bytes().get(self.at - 1) == Some(&b',');
        let grouped = grouped_digits(rest);
        let goes_on = rest.as_bytes().get(grouped) == Some(&b',')
            && rest.as_bytes().get(grouped + 1).is_some_and(u8::is_ascii_alphanumeric);
        if follows || goes_on { rest.split(',').next().unwrap_or(rest) } else { rest }
    }

    /// A unit behind a space belongs to the number before it and is not read again.
    fn consumed(&self, chunk: usize, length: usize) -> usize {
        let last = self.tokens.last().filter(|token| token.start >= self.at);
        last.map_or(0, |token| token.end() - self.at).max(chunk).max(length.min(chunk.max(1)))
    }

    fn push(&mut self, start: usize, length: usize, kind: TokenKind) {
        if let Some(text) = self.text.get(start..start + length) {
            self.tokens.push(Token { text, start, kind });
        }
    }

    /// `1 h 20 min`, `12 m 30 s`: one duration.
    fn compound_duration(&mut self, rest: &'t str) -> Option<usize> {
        if !rest.as_bytes().first()?.is_ascii_digit() {
            return None;
        }
        let (first, mut length) = quantity_with_unit(rest)?;
        let mut total = first.base();
        let mut unit = first;
        let mut parts = 1;
        loop {
            let gap = rest.get(length..)?;
            let skipped =
                gap.strip_prefix(" and ").or_else(|| gap.strip_prefix(' ')).unwrap_or_default();
            let Some((next, taken)) = quantity_with_unit(skipped) else { break };
            if !is_time(next.unit)
                || !is_time(unit.unit)
                || next.unit.seconds() >= unit.unit.seconds()
            {
                break;
            }
            length += gap.len() - skipped.len() + taken;
            total += next.base();
            unit = next;
            parts += 1;
        }
        if parts == 1 {
            return None;
        }
        let quantity = Quantity::seconds(total, unit.step * unit.unit.seconds());
        self.push(self.at, length, TokenKind::Quantity(quantity));
        Some(length)
    }

    fn chunk(&mut self, chunk: &'t str) {
        let rest = self.without_list(self.text.get(self.at..).unwrap_or_default());
        if chunk.as_bytes().first().is_some_and(u8::is_ascii_digit)
            && let Some((quantity, length)) = quantity_with_unit(rest)
            && length >= chunk.len()
        {
            self.push(self.at, length, TokenKind::Quantity(quantity));
            return;
        }
        if let Some((number, step, length)) =
            number_at(chunk).filter(|found| chunk.get(found.2..).is_some_and(is_physical))
        {
            let quantity = Quantity { number, step, unit: Unit::NONE };
            self.push(self.at, length, TokenKind::Quantity(quantity));
            return;
        }
        if chunk.bytes().any(|byte| byte.is_ascii_alphabetic()) || chunk.matches('.').count() > 1 {
            self.push(self.at, chunk.len(), TokenKind::Word);
        }
        if let Some(times) =
            chunk.strip_prefix('x').filter(|times| times.bytes().all(|byte| byte.is_ascii_digit()))
        {
            // `x41`, as events count repetitions.
            if let Some((quantity, _)) = quantity_at(times) {
                self.push(self.at + 1, times.len(), TokenKind::Quantity(quantity));
            }
            return;
        }
        let mut start = 0;
        for part in chunk.split(['/', ':', '@', '+', '#']) {
            if part.len() < chunk.len() || !chunk.contains(|c: char| c.is_alphabetic()) {
                self.part(start, part);
            }
            start += part.len() + 1;
        }
    }

    /// A number inside a chunk: both of `50/50`, the port of `web-3:5432`.
    fn part(&mut self, start: usize, part: &'t str) {
        if !part.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return;
        }
        if let Some((quantity, length)) =
            quantity_at(part).filter(|(_, length)| *length == part.len())
        {
            self.push(self.at + start, length, TokenKind::Quantity(quantity));
        } else if let Some((low, high)) = part.split_once('-') {
            // A range: `2-3`.
            for (offset, side) in [(0, low), (low.len() + 1, high)] {
                if let Some((quantity, _)) =
                    quantity_at(side).filter(|(_, length)| *length == side.len())
                {
                    self.push(self.at + start + offset, side.len(), TokenKind::Quantity(quantity));
                }
            }
        }
    }
}

impl Unit {
    fn seconds(self) -> f64 {
        Quantity { number: 1.0, step: 1.0, unit: self }.base()
    }
}

/// Units that are read past, because nothing is converted to them.
fn is_physical(unit: &str) -> bool {
    const UNITS: &[&str] =
        &["W", "kW", "C", "F", "V", "A", "Hz", "kHz", "MHz", "GHz", "rpm", "fps", "bps", "ppm"];
    UNITS.contains(&unit)
}

fn is_time(unit: Unit) -> bool {
    matches!(unit.as_str(), "ns" | "us" | "ms" | "s" | "m" | "min" | "h" | "d" | "w" | "y")
}

fn chunk_length(rest: &str) -> usize {
    let end = rest.find(separates).unwrap_or(rest.len());
    let thousands = rest.as_bytes().get(end) == Some(&b',') && grouped_digits(rest) > end;
    if thousands { grouped_digits(rest) } else { end }
}

/// The length of digits in groups: `1,234,567`.
fn grouped_digits(text: &str) -> usize {
    let digits = |from: usize| {
        text.as_bytes().iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut length = digits(0);
    if length == 0 || length > 3 {
        return length;
    }
    while text.as_bytes().get(length) == Some(&b',') && digits(length + 1) == 3 {
        length += 4;
    }
    length
}

/// A number with a unit directly behind it, behind a space, or behind a hyphen.
fn quantity_with_unit(text: &str) -> Option<(Quantity, usize)> {
    let (quantity, length) = quantity_at(text)?;
    let rest = text.get(length..)?;
    if quantity.unit != Unit::NONE {
        let rate = if rest.starts_with("/s") && !is_time(quantity.unit) { 2 } else { 0 };
        return Some((quantity, length + rate));
    }
    let Some(behind) = rest.strip_prefix([' ', '-', '\u{a0}', '\u{202f}']) else {
        return Some((quantity, length));
    };
    let gap = rest.len() - behind.len();
    let word = behind.find(|c: char| !c.is_alphabetic() && c != '%').unwrap_or(behind.len());
    let unit = behind
        .get(..word)
        .filter(|word| !matches!(*word, "m" | "K" | "k" | "M" | "G" | "g" | "T" | "t" | "w" | "y"))
        .and_then(Unit::parse);
    let ends = !behind
        .get(word..)
        .and_then(|rest| rest.chars().next())
        .is_some_and(|c| c.is_alphanumeric() || c == '_');
    if ends && behind.get(..word).is_some_and(is_physical) {
        return Some((quantity, length + gap + word));
    }
    match unit {
        Some(unit) if ends => Some((Quantity { unit, ..quantity }, length + gap + word)),
        _ => Some((quantity, length)),
    }
}

/// The number at the start of a text, with a unit that follows it directly: `12`, `1,234`, `0.95`, `3h12m`, `512Mi`.
fn quantity_at(text: &str) -> Option<(Quantity, usize)> {
    let (number, step, mut length) = number_at(text)?;
    let mut quantity = Quantity { number, step, unit: Unit::NONE };
    let mut rest = text.get(length..)?;
    let letters = unit_length(rest);
    if letters == 0 {
        return Some((quantity, length));
    }
    quantity.unit = Unit::parse(rest.get(..letters)?)?;
    length += letters;
    rest = rest.get(letters..)?;
    let mut total = quantity.base();
    while is_time(quantity.unit) && rest.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        let (number, step, digits) = number_at(rest)?;
        let letters = unit_length(rest.get(digits..)?);
        quantity =
            Quantity { number, step, unit: Unit::parse(rest.get(digits..digits + letters)?)? };
        total += quantity.base();
        length += digits + letters;
        rest = rest.get(digits + letters..)?;
        if rest.is_empty() || !rest.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            let step = quantity.step * quantity.unit.seconds();
            return Some((Quantity::seconds(total, step), length));
        }
    }
    Some((quantity, length))
}

fn unit_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphabetic() && c != '%' && c != 'µ').unwrap_or(text.len())
}

/// Number, step and length; nothing for `1.2.3`.
fn number_at(text: &str) -> Option<(f64, f64, usize)> {
    let bytes = text.as_bytes();
    let mut length =
        grouped_digits(text).max(bytes.iter().take_while(|byte| byte.is_ascii_digit()).count());
    if length == 0 || length > 20 {
        return None;
    }
    let mut decimals = 0;
    if bytes.get(length) == Some(&b'.') {
        decimals = bytes.iter().skip(length + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if decimals > 0 {
            length += 1 + decimals;
        }
        if decimals > 0
            && bytes.get(length) == Some(&b'.')
            && bytes.get(length + 1).is_some_and(u8::is_ascii_digit)
        {
            return None;
        }
    }
    let mut exponent = 0;
    if bytes.get(length) == Some(&b'e') {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let digits =
            bytes.iter().skip(length + 1 + sign).take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && digits < 4 {
            exponent = text.get(length + 1..length + 1 + sign + digits)?.parse::<i32>().ok()?;
            length += 1 + sign + digits;
        }
    }
    let written = text.get(..length)?.replace(',', "");
    let step = 10_f64.powi(exponent - i32::try_from(decimals).ok()?);
    Some((written.parse().ok()?, step, length))
}
