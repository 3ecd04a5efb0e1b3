//! What Go allows to be written and `regex` does not: `\Q…\E`, octal codes, `{` and `[` for themselves, `-` behind a class, names of
//! groups that begin with a digit.

use regex_syntax::{escape, is_meta_character};

/// The same expression in the spelling of `regex`; what is wrong in both stays wrong.
pub(super) fn spelled(pattern: &str) -> String {
    let mut text = Text { rest: pattern, spelled: String::new() };
    while let Some(sign) = text.first() {
        match sign {
            '\\' => text.escaped(),
            '[' => text.class(),
            '(' => text.group(),
            '{' if !is_repeat(text.rest) => text.literal(sign),
            _ => text.copy(sign.len_utf8()),
        }
    }
    text.spelled
}

struct Text<'a> {
    rest: &'a str,
    spelled: String,
}

impl<'a> Text<'a> {
    fn first(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Passes over so many bytes, at most to the end.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn copy(&mut self, bytes: usize) {
        let taken = self.take(bytes);
        self.spelled.push_str(taken);
    }

    /// The sign, for itself.
    fn literal(&mut self, sign: char) {
        self.take(sign.len_utf8());
        self.spelled.push_str(&of(sign));
    }

    /// What begins with a backslash, outside of a class.
    fn escaped(&mut self) {
        if let Some(quoted) = self.rest.strip_prefix(r"\Q") {
            let (inside, rest) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
            self.spelled.push_str(&escape(inside));
            self.rest = rest;
        } else if let Some((sign, bytes)) = code(self.rest) {
            self.take(bytes);
            self.spelled.push_str(&of(sign));
        } else {
            self.named();
        }
    }

    /// The beginning of a group. A name that begins with a digit gets an underscore before it.
    fn group(&mut self) {
        let named = ["(?P<", "(?<"].into_iter().find(|begin| self.rest.starts_with(begin));
        self.copy(named.map_or(1, str::len));
        if named.is_some() && self.first().is_some_and(|sign| sign.is_ascii_digit()) {
            self.spelled.push('_');
        }
    }

    /// `\w`, `\pL`, `\p{Greek}` and whatever else has a letter.
    fn named(&mut self) {
        for (from, to) in [(r"\p{^", r"\P{"), (r"\P{^", r"\p{")] {
            if self.rest.starts_with(from) {
                self.take(from.len());
                self.spelled.push_str(to);
                return self.copy(self.rest.find('}').map_or(0, |end| end + 1));
            }
        }
        let braced = [r"\p{", r"\P{"].into_iter().any(|name| self.rest.starts_with(name));
        let letter = self.rest.chars().nth(1).map_or(0, char::len_utf8);
        let end = self.rest.find('}').filter(|_| braced).map_or(1 + letter, |end| end + 1);
        self.copy(end);
    }

    /// `[…]`, in which only a backslash and `[:name:]` are special.
    fn class(&mut self) {
        self.copy(1);
        if self.first() == Some('^') {
            self.copy(1);
        }
        let mut is_first = true;
        while let Some(sign) = self.first().filter(|sign| is_first || *sign != ']') {
            is_first = false;
            match self.named_class() {
                Some(bytes) => self.copy(bytes),
                None => match member(self.rest) {
                    Some((low, bytes)) => self.range(low, bytes),
                    None if sign == '\\' => self.named(),
                    None => self.copy(sign.len_utf8()),
                },
            }
        }
        self.copy(1);
    }

    /// How long `[:name:]` is.
    fn named_class(&self) -> Option<usize> {
        let name = self.rest.strip_prefix("[:")?;
        name.find(":]").map(|end| "[:".len() + end + ":]".len())
    }

    /// A member of a class, or a range of them.
    fn range(&mut self, low: char, bytes: usize) {
        self.take(bytes);
        self.spelled.push_str(&of(low));
        let Some(high) = self.rest.strip_prefix('-').filter(|rest| !rest.starts_with(']')) else {
            return;
        };
        if let Some((high, bytes)) = member(high) {
            self.take(1 + bytes);
            self.spelled.push('-');
            self.spelled.push_str(&of(high));
        }
    }
}

/// `{n}`, `{n,}`, `{n,m}`: everywhere else a brace stands for itself.
fn is_repeat(text: &str) -> bool {
    let inside = text.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    let Some((least, most)) =
        inside.map(|(inside, _)| inside.split_once(',').unwrap_or((inside, inside)))
    else {
        return false;
    };
    let digits = |text: &str| text.bytes().all(|sign| sign.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

/// A sign of a class and how many bytes say it; none for a class of its own, and at the end.
fn member(text: &str) -> Option<(char, usize)> {
    match text.chars().next()? {
        '\\' => code(text),
        sign => Some((sign, sign.len_utf8())),
    }
}

/// The sign for which a backslash with what follows it stands, and how many bytes they are.
fn code(text: &str) -> Option<(char, usize)> {
    let escaped = text.strip_prefix('\\')?;
    let sign = escaped.chars().next()?;
    match sign {
        'x' => hexadecimal(escaped),
        '0'..='7' => octal(escaped),
        'a'..='z' => control(sign).map(|sign| (sign, 2)),
        _ => (sign.is_ascii() && !sign.is_ascii_alphanumeric()).then_some((sign, 2)),
    }
}

/// `x41`, `x{1F600}`.
fn hexadecimal(escaped: &str) -> Option<(char, usize)> {
    let (digits, around) = match escaped.strip_prefix("x{") {
        Some(braced) => (braced.split_once('}')?.0, r"\x{}".len()),
        None => (escaped.get(1..3)?, r"\x".len()),
    };
    let value = u32::from_str_radix(digits, 16).ok()?;
    Some((char::from_u32(value)?, around + digits.len()))
}

/// `0`, `07`, `101`; one digit from 1 on is a reference to a group, which does not exist.
fn octal(escaped: &str) -> Option<(char, usize)> {
    let digits = escaped.bytes().take(3).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
    if digits == 1 && !escaped.starts_with('0') {
        return None;
    }
    let value = u32::from_str_radix(escaped.get(..digits)?, 8).ok()?;
    Some((char::from_u32(value)?, 1 + digits))
}

/// The control character for which a letter stands behind a backslash.
fn control(sign: char) -> Option<char> {
    Some(match sign {
        'a' => '\x07',
        'f' => '\x0C',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0B',
        _ => return None,
    })
}

/// A sign for itself, inside of a class and outside.
fn of(sign: char) -> String {
    if is_meta_character(sign) || sign.is_ascii_control() || sign == ' ' {
        return format!(r"\x{{{:X}}}", u32::from(sign));
    }
    sign.to_string()
}
