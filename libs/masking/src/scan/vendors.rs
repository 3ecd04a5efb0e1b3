//! Tokens that their makers mark: the rules of `vendors.rules`, and JSON web tokens.

use std::ops::{Range, RangeInclusive};

use super::memory::Followed;
use super::scanner::Scanner;
use super::shape::{is_crossed_out, is_stand_in};
use crate::error::Error;
use crate::patterns::Pattern;

/// The rules, as they are written.
const RULES: &str = include_str!("../vendors.rules");
/// How long a token without a longest length may be.
const LONG: usize = usize::MAX - 1;

/// A marked token.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// What it is called in counts.
    pub(crate) id: &'static str,
    pub(crate) pattern: Pattern,
    /// How it begins; any of these.
    pub(crate) begins: Vec<&'static str>,
    class: Class,
    count: RangeInclusive<usize>,
    digit: bool,
    tail: bool,
    dots: Option<usize>,
    before: Option<(Class, RangeInclusive<usize>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Alphanumeric,
    Alphabetic,
    Upper,
    Lower,
    Hex,
    Digit,
    Word,
    Dotted,
    Path,
    Base64,
    Base64Url,
    Crypt,
    Scram,
    Colon,
    Base32,
    UpperHex,
}

impl Class {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "alnum" => Self::Alphanumeric,
            "alpha" => Self::Alphabetic,
            "upper" => Self::Upper,
            "lower" => Self::Lower,
            "hex" => Self::Hex,
            "digit" => Self::Digit,
            "word" => Self::Word,
            "dotted" => Self::Dotted,
            "path" => Self::Path,
            "b64" => Self::Base64,
            "b64u" => Self::Base64Url,
            "crypt" => Self::Crypt,
            "scram" => Self::Scram,
            "colon" => Self::Colon,
            "base32" => Self::Base32,
            "uhex" => Self::UpperHex,
            _ => return None,
        })
    }

    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Alphabetic => byte.is_ascii_alphabetic(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Lower => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Digit => byte.is_ascii_digit(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
            Self::Path => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b'@'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Base64Url => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'.')
            }
            Self::Crypt => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'.' | b'/' | b'+' | b'=' | b'$' | b',' | b'-')
            }
            Self::Scram => byte == b':' || Self::Crypt.has(byte),
            Self::Colon => byte == b':' || Self::Dotted.has(byte),
            Self::Base32 => byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7'),
            Self::UpperHex => byte.is_ascii_digit() || matches!(byte, b'A'..=b'F'),
        }
    }

    /// The same as a part of a regular expression.
    fn expression(self) -> &'static str {
        match self {
            Self::Alphanumeric => "[0-9A-Za-z]",
            Self::Alphabetic => "[A-Za-z]",
            Self::Upper => "[0-9A-Z]",
            Self::Lower => "[0-9a-z]",
            Self::Hex => "[0-9A-Fa-f]",
            Self::Digit => "[0-9]",
            Self::Word => "[0-9A-Za-z_-]",
            Self::Dotted => "[0-9A-Za-z_.-]",
            Self::Path => "[0-9A-Za-z_/@-]",
            Self::Base64 => "[0-9A-Za-z+/=]",
            Self::Base64Url => "[0-9A-Za-z+/=_.-]",
            Self::Crypt => "[0-9A-Za-z./+=$,-]",
            Self::Scram => "[0-9A-Za-z./+=$,:-]",
            Self::Colon => "[0-9A-Za-z_.:-]",
            Self::Base32 => "[A-Z2-7]",
            Self::UpperHex => "[0-9A-F]",
        }
    }
}

pub(crate) fn rules() -> Result<Vec<Rule>, Error> {
    let lines = RULES.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| rule(line).ok_or(Error::BadRule { line }))
        .collect()
}

fn rule(line: &'static str) -> Option<Rule> {
    let mut words = line.split_ascii_whitespace();
    let id = words.next()?;
    let pattern = Pattern::named(words.next()?)?;
    let begins: Vec<&'static str> = words.next()?.split(',').collect();
    let class = Class::named(words.next()?)?;
    let count = count(words.next()?)?;
    let mut rule = Rule {
        id,
        pattern,
        begins,
        class,
        count,
        digit: false,
        tail: false,
        dots: None,
        before: None,
    };
    for option in words {
        match option.split_once('=') {
            None if option == "digit" => rule.digit = true,
            None if option == "tail" => rule.tail = true,
            Some(("dots", dots)) => rule.dots = Some(dots.parse().ok()?),
            Some(("before", before)) => {
                let (class, length) = before.split_once(':')?;
                rule.before = Some((Class::named(class)?, self::count(length)?));
            }
            _ => return None,
        }
    }
    rule.begins.iter().all(|literal| !literal.is_empty()).then_some(rule)
}

/// `36`, `20-` or `20-40`.
fn count(text: &str) -> Option<RangeInclusive<usize>> {
    match text.split_once('-') {
        None => text.parse().ok().map(|exact| exact..=exact),
        Some((from, "")) => from.parse().ok().map(|from| from..=LONG),
        Some((from, to)) => Some(from.parse().ok()?..=to.parse().ok()?),
    }
}

impl Rule {
    /// The rule as a regular expression, for those who search without an automaton.
    pub(crate) fn expression(&self) -> String {
        let begins: Vec<String> =
            self.begins.iter().map(|literal| regex::escape(literal)).collect();
        let times = |count: &RangeInclusive<usize>| match (*count.start(), *count.end()) {
            (from, LONG) => format!("{{{from},}}"),
            (from, to) => format!("{{{from},{to}}}"),
        };
        let before = self.before.as_ref().map_or_else(String::new, |(class, count)| {
            format!("{}{}", class.expression(), times(count))
        });
        let word = if self.tail || !before.is_empty() { "" } else { r"(?-u:\b)" };
        let word = if self.begins.iter().any(|begin| !begin.starts_with(char::is_alphanumeric)) {
            ""
        } else {
            word
        };
        format!(
            "{word}{before}(?:{}){}{}",
            begins.join("|"),
            self.class.expression(),
            times(&self.count)
        )
    }

    /// The bytes that may follow the literal; none if nothing need follow.
    pub(super) fn first_bytes(&self) -> Option<Box<[bool; 256]>> {
        (*self.count.start() > 0).then(|| bytes_of(|byte| self.class.has(byte)))
    }

    /// Whether a token begins with its literal, so that no letter or digit stands before.
    pub(super) fn begins_word(&self) -> bool {
        self.before.is_none() && !self.tail
    }

    /// Where the token begins whose literal stands at a place; `known` are bytes of the class that stand before.
    fn start(
        &self,
        scanner: &Scanner<'_, '_>,
        literal: usize,
        known: &mut Range<usize>,
    ) -> Option<usize> {
        let Some((class, count)) = &self.before else {
            return Some(literal);
        };
        let floor = if known.end <= literal { known.end } else { 0 };
        let limit = (literal - floor).min(count.end() + 1);
        let mut from = scanner.run_start(literal, limit, |byte| class.has(byte));
        if from == floor && floor > 0 {
            from = known.start;
        }
        *known = from..literal;
        count.contains(&(literal - from)).then_some(from)
    }

    /// How far the bytes of the class go; `known` are those that were followed before.
    fn run_end(&self, scanner: &Scanner<'_, '_>, from: usize, known: &mut Range<usize>) -> usize {
        let limit = from.saturating_add(self.count.end().saturating_add(1));
        let (start, begin) =
            if known.contains(&from) { (known.start, known.end) } else { (from, from) };
        let run = scanner.run_end(begin, limit.saturating_sub(begin), |byte| self.class.has(byte));
        *known = start..run;
        run.min(limit)
    }

    /// Where it ends, or how far it was followed in vain.
    fn end(
        &self,
        scanner: &Scanner<'_, '_>,
        from: usize,
        known: &mut Range<usize>,
    ) -> Result<usize, usize> {
        let run = self.run_end(scanner, from, known);
        let mut end = run;
        // A full stop or dash at the end belongs to the sentence.
        let hash = matches!(self.class, Class::Crypt | Class::Scram);
        let trails =
            |byte: u8| matches!(byte, b'.' | b'-' | b',' | b'@') || (byte == b'/' && !hash);
        while end > from && scanner.before(end).is_some_and(trails) {
            end -= 1;
        }
        let goes_on = scanner.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if goes_on || !self.count.contains(&(end - from)) {
            return Err(run);
        }
        let text = scanner.slice(from..end);
        let right = (!self.digit || text.bytes().any(|byte| byte.is_ascii_digit()))
            && self.dots.is_none_or(|dots| text.matches('.').count() == dots);
        if right { Ok(end) } else { Err(run) }
    }
}

/// A table of the bytes of a class.
pub(super) fn bytes_of(has: impl Fn(u8) -> bool) -> Box<[bool; 256]> {
    let mut table = Box::new([false; 256]);
    for (entry, byte) in table.iter_mut().zip(0..=u8::MAX) {
        *entry = has(byte);
    }
    table
}

/// Looks at a token that begins with a literal of the rule with this number.
pub(super) fn look(
    scanner: &mut Scanner<'_, '_>,
    number: usize,
    rule: &Rule,
    literal: Range<usize>,
) {
    let Range { start: at, end } = literal;
    if at < scanner.seen.token {
        return;
    }
    if scanner.seen.followed.len() <= number {
        scanner.seen.followed.resize(number + 1, Followed::default());
    }
    let known = scanner.seen.followed.get_mut(number).map(std::mem::take);
    let mut known = known.unwrap_or_default();
    // What was followed to its end in vain once is no token from a later place on either.
    let vain = *rule.count.end() == LONG && at < known.vain;
    let place = if vain { None } else { rule.start(scanner, at, &mut known.before) };
    let stop = place.and_then(|start| {
        let stop = rule.end(scanner, end, &mut known.behind);
        stop.map_err(|until| known.vain = until).ok().map(|stop| (start, stop))
    });
    if let Some(entry) = scanner.seen.followed.get_mut(number) {
        *entry = known;
    }
    let Some((start, stop)) = stop else { return };
    scanner.seen.token = stop;
    let token = scanner.slice(start..stop);
    if is_stand_in(token) || is_crossed_out(token) {
        return;
    }
    let range = if rule.tail { end..stop } else { start..stop };
    scanner.add_vendor(range, rule.pattern, rule.id);
    if rule.pattern == Pattern::AwsAccessKey {
        look_behind_key_id(scanner, stop);
    }
}

/// How many characters an AWS secret key has.
const AWS_SECRET_LENGTH: usize = 40;

/// The secret key often stands right behind the key id, without a name.
fn look_behind_key_id(scanner: &mut Scanner<'_, '_>, from: usize) {
    if !scanner.enabled.has(Pattern::AwsSecretKey) {
        return;
    }
    let start = scanner.run_end(from, 16, |byte| {
        matches!(byte, b' ' | b'\t' | b':' | b',' | b'"' | b'\'' | b'/' | b'\n')
    });
    let stop = scanner.run_end(start, AWS_SECRET_LENGTH + 1, crate::base64::is_symbol);
    let mixed = scanner.slice(start..stop).bytes().any(|byte| byte.is_ascii_lowercase());
    if start > from && stop - start == AWS_SECRET_LENGTH && mixed {
        scanner.add(start..stop, Pattern::AwsSecretKey);
    }
}

/// Looks at a JSON web token: two or more parts of base64 with full stops between them.
pub(super) fn look_at_jwt(scanner: &mut Scanner<'_, '_>, start: usize) {
    if start < scanner.seen.jwt
        || start < scanner.seen.token
        || scanner.slice(start..start + 3) != "eyJ"
        || !scanner.is_word_start(start)
    {
        return;
    }
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
    let (mut stop, mut parts) = (start, 0);
    loop {
        let end = scanner.run_end(stop, usize::MAX, part);
        let enough = if parts < 2 { end - stop >= 4 } else { end > stop };
        if !enough {
            break;
        }
        (stop, parts) = (end, parts + 1);
        if scanner.byte(stop) != Some(b'.') || parts == 5 {
            break;
        }
        stop += 1;
    }
    if scanner.before(stop) == Some(b'.') && parts >= 2 {
        stop -= 1;
    }
    scanner.seen.jwt = stop;
    if parts >= 2 {
        scanner.seen.token = scanner.seen.token.max(stop);
        scanner.add(start..stop, Pattern::Jwt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_be_read_and_has_a_name_of_its_own() {
        let rules = rules().expect("readable");
        assert!(rules.len() >= 100, "{}", rules.len());
        let mut names: Vec<&str> = rules.iter().map(|rule| rule.id).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rules.len());
    }

    #[test]
    fn every_rule_is_also_a_regular_expression() {
        for rule in rules().expect("readable") {
            let expression = rule.expression();
            regex::Regex::new(&expression).unwrap_or_else(|error| panic!("{}: {error}", rule.id));
        }
    }

    #[test]
    fn a_line_that_is_no_rule_is_refused() {
        for line in
            ["a", "a api_key", "a nothing x alnum 1", "a api_key x odd 1", "a api_key x hex 1 odd"]
        {
            assert!(rule(line).is_none(), "{line}");
        }
    }
}
