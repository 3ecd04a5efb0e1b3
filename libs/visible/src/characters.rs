//! Characters that nobody sees, or that change how others are shown.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

/// The most spaces that are shown one by one.
const MAX_DOTS: usize = 8;

/// What a person must see of a text that is read, line breaks and tabs apart. Joiners and variation selectors are parts
/// of words and emoji.
static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let class = r"[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t\u{200C}\u{200D}\u{FE00}-\u{FE0F}]]";
    Regex::new(class).ok()
});
/// The same with line breaks and tabs.
static HIDDEN_IN_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let class = r"[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\u{200C}\u{200D}\u{FE00}-\u{FE0F}]]";
    Regex::new(class).ok()
});
/// Everything that is not seen as it is: white space of any kind, what has no glyph, and the dot that stands for a space.
static INEXACT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[\p{Cc}\p{Cf}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{B7}]").ok()
});

/// A text that is read: it keeps its lines, and nothing in it reaches a terminal as a command.
pub fn readable(text: &str) -> Cow<'_, str> {
    replaced(text, &HIDDEN, push_code_point)
}

/// A field of one line: line breaks and tabs are shown, too.
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, &HIDDEN_IN_LINE, push_code_point)
}

/// A document of JSON, whose hidden characters are escapes: its meaning is the same.
pub fn json(document: &str) -> Cow<'_, str> {
    replaced(document, &HIDDEN, |found, count, out| {
        let mut units = [0; 2];
        let units = found.encode_utf16(&mut units);
        for unit in (0..count).flat_map(|_| units.iter()) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// Every character of a text: what nobody sees as its code point, several spaces as dots or with their number.
pub fn exact(text: &str) -> Cow<'_, str> {
    replaced(text, &INEXACT, |found, count, out| match found {
        ' ' if count == 1 => out.push(' '),
        ' ' if count <= MAX_DOTS => (0..count).for_each(|_| out.push('·')),
        ' ' => {
            let _ = write!(out, "·[×{count}]");
        }
        _ => push_code_point(found, count, out),
    })
}

/// Replaces each character of a class, one after the other where they are the same.
fn replaced<'a>(
    text: &'a str,
    class: &LazyLock<Option<Regex>>,
    show: impl Fn(char, usize, &mut String),
) -> Cow<'a, str> {
    let Some(class) = class.as_ref() else { return Cow::Owned(text.escape_default().to_string()) };
    let mut found = class.find_iter(text).peekable();
    if found.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    while let Some(one) = found.next() {
        out.push_str(text.get(end..one.start()).unwrap_or_default());
        let (mut count, mut last) = (1, one.end());
        while let Some(next) =
            found.next_if(|next| next.start() == last && next.as_str() == one.as_str())
        {
            (count, last) = (count + 1, next.end());
        }
        if let Some(found) = one.as_str().chars().next() {
            show(found, count, &mut out);
        }
        end = last;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(out)
}

fn push_code_point(found: char, count: usize, out: &mut String) {
    let code = u32::from(found);
    let _ = match count {
        1 => write!(out, "[U+{code:04X}]"),
        _ => write!(out, "[U+{code:04X}×{count}]"),
    };
}
