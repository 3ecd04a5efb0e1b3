//! Texts that one system reads in another way than the next. What one takes for a comment or a string may be a statement
//! to another, so that they are not judged.

use tarsy_contracts::judged::Language;

/// Why the signs of a statement are ambiguous; none if every system reads the same words.
pub(super) fn doubt(text: &str, language: Language) -> Option<String> {
    let why = if text.contains("/*") {
        "a comment between signs may be a part of the statement"
    } else if text.char_indices().any(|(at, sign)| sign == '\\' && is_before_quote(text, at)) {
        "a backslash before a quote may end the text or not"
    } else if ["{{", "{%"].iter().any(|sign| text.contains(sign)) {
        "a template in it may run something else"
    } else if text.chars().any(is_odd) {
        "it has a control sign"
    } else if has_unspaced_comment(text) {
        "two hyphens without a space may be a comment or not"
    } else if language == Language::Sql && has_quote_in_brackets(text) {
        "a quote in brackets may be a part of a name"
    } else {
        return None;
    };
    Some(why.to_owned())
}

fn is_before_quote(text: &str, at: usize) -> bool {
    text.get(at + 1..).is_some_and(|rest| rest.starts_with(['\'', '"', '`', '\\']))
}

/// Ends of lines and signs that only some systems know.
fn is_odd(sign: char) -> bool {
    (sign.is_control() && !matches!(sign, '\n' | '\t'))
        || matches!(sign, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn has_unspaced_comment(text: &str) -> bool {
    text.match_indices("--").any(|(at, _)| {
        text.get(at + 2..)
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with([' ', '\n', '\t']))
    })
}

/// Brackets around half of a quotation: a name to some systems, and a list that ends later to others.
fn has_quote_in_brackets(text: &str) -> bool {
    let inside = |(at, _): (usize, &str)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        rest.split(']').next().unwrap_or_default()
    };
    let is_half =
        |part: &str| ['\'', '"', '`'].iter().any(|quote| part.matches(*quote).count() % 2 == 1);
    text.match_indices('[').map(inside).any(is_half)
}
