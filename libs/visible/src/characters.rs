//! Characters that nobody sees, or that change how others are shown.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

/// The most spaces that are shown one by one.
const MAX_DOTS: usize = 8;

/// What a person must see of a text that is read, line breaks and tabs apart.
static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]").ok()
});
/// The same with line breaks and tabs.
static HIDDEN_IN_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]").ok()
});
/// Everything that is not seen as it is: white space of any kind, what has no glyph, marks that strike others through or
/// enclose them, and the dot that stands for a space.
static INEXACT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let class = r"[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Z}\p{Me}\p{Default_Ignorable_Code_Point}\u{332}-\u{338}\u{20D2}\u{20D3}\u{20D8}-\u{20DA}\u{20E5}-\u{20EB}\u{2800}\u{1D159}\u{B7}]";
    Regex::new(class).ok()
});

/// Whether a joiner or a variation selector is a part of the word or emoji before it. Behind a letter of English, or one more of
/// them, it only hides something.
fn is_part(before: Option<char>, found: char) -> bool {
    let is_selector = |sign: char| ('\u{FE00}'..='\u{FE0F}').contains(&sign);
    let is_joiner = |sign: char| matches!(sign, '\u{200C}' | '\u{200D}');
    match before {
        // `1️⃣`
        Some('0'..='9' | '#' | '*') => found == '\u{FE0F}',
        Some(before) if is_joiner(found) => !before.is_ascii() && !is_joiner(before),
        Some(before) if is_selector(found) => {
            !before.is_ascii() && !is_joiner(before) && !is_selector(before)
        }
        _ => false,
    }
}

/// A text that is read: it keeps its lines, and nothing in it reaches a terminal as a command.
pub fn readable(text: &str) -> Cow<'_, str> {
    replaced(text, &HIDDEN, is_part, push_code_point)
}

/// A field of one line: line breaks and tabs are shown, too.
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, &HIDDEN_IN_LINE, is_part, push_code_point)
}

/// A document of JSON, whose hidden characters are escapes: its meaning is the same.
pub fn json(document: &str) -> Cow<'_, str> {
    replaced(document, &HIDDEN, is_part, |found, count, out| {
        let mut units = [0; 2];
        let units = found.encode_utf16(&mut units);
        for unit in (0..count).flat_map(|_| units.iter()) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// Every character of a text: what nobody sees as its code point, several spaces as dots or with their number.
pub fn exact(text: &str) -> Cow<'_, str> {
    replaced(
        text,
        &INEXACT,
        |_, _| false,
        |found, count, out| match found {
            ' ' if count == 1 => out.push(' '),
            ' ' if count <= MAX_DOTS => (0..count).for_each(|_| out.push('·')),
            ' ' => {
                let _ = write!(out, "·[×{count}]");
            }
            _ => push_code_point(found, count, out),
        },
    )
}

/// Replaces each character of a class that is not kept, one after the other where they are the same.
fn replaced<'a>(
    text: &'a str,
    class: &LazyLock<Option<Regex>>,
    is_kept: impl Fn(Option<char>, char) -> bool,
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
        let before = text.get(..one.start()).and_then(|before| before.chars().next_back());
        if one.as_str().chars().next().is_some_and(|sign| is_kept(before, sign)) {
            out.push_str(one.as_str());
            end = one.end();
            continue;
        }
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
