//! Searches of Jira with texts of an alert, which somebody else wrote.

use std::fmt::Write as _;

use crate::template::Place;

/// A text as the operand that stands at a place of a search. As a string of its own, or a part of the one that the operator
/// opened; behind `~`, which reads an expression of words and operators, as a phrase.
pub(super) fn quoted(place: Place<'_>, text: &str) -> String {
    let open = opened_at(place.before);
    let operator = open.map_or(place.before, |at| place.before.get(..at).unwrap_or_default());
    let is_search = operator.trim_end().ends_with('~');
    let text = if is_search { phrase(text) } else { text.to_owned() };
    let escaped = escaped(&text);
    if open.is_some() { escaped } else { format!("\"{escaped}\"") }
}

/// Where the string begins that is still open at the end of a search, in bytes.
fn opened_at(search: &str) -> Option<usize> {
    let (mut open, mut is_escaped) = (None, false);
    for (at, character) in search.char_indices() {
        match (open, character) {
            _ if is_escaped => is_escaped = false,
            (_, '\\') => is_escaped = true,
            (None, '"' | '\'') => open = Some((at, character)),
            (Some((_, mark)), _) if mark == character => open = None,
            _ => {}
        }
    }
    open.map(|(at, _)| at)
}

/// Words in their order, of which none is an operator or a wildcard.
fn phrase(text: &str) -> String {
    let words = text.replace(['"', '\\'], " ");
    format!("\"{}\"", words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The inside of a string in either kind of quotation marks.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            other if other.is_control() || matches!(other, '\u{2028}' | '\u{2029}') => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(other));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(before: &str, text: &str) -> String {
        quoted(Place { before, name: "title" }, text)
    }

    #[test]
    fn a_text_of_an_alert_is_one_string_of_the_search() {
        for (text, expected) in [
            ("disk full", r#""disk full""#),
            (r#"a" or project = "X"#, r#""a\" or project = \"X""#),
            (r#"a\" or b"#, r#""a\\\" or b""#),
            ("a\\", r#""a\\""#),
            ("{title}", r#""{title}""#),
            ("a\nor b\r\t\0\u{2028}", r#""a\nor b\r\t\u0000\u2028""#),
            ("it's", r#""it\'s""#),
        ] {
            assert_eq!(at("labels = ", text), expected);
        }
    }

    #[test]
    fn inside_of_the_operators_quotation_marks_it_stays_inside() {
        assert_eq!(at("labels = \"a-", "x\" or b = \"y"), r#"x\" or b = \"y"#);
        assert_eq!(at("labels = 'a-", "x' or b = 'y"), r"x\' or b = \'y");
        assert_eq!(at(r#"a = "it\"s" and b = "#, "x"), r#""x""#);
        assert_eq!(at(r#"a = "it's" and b = "#, "x"), r#""x""#);
        assert_eq!(at(r#"summary ~ ""#, "a OR *"), r#"\"a OR *\""#);
    }

    #[test]
    fn a_text_that_is_searched_is_a_phrase_without_operators() {
        for operator in ["summary ~ ", "summary~", "summary !~ "] {
            assert_eq!(at(operator, "a* OR (b)"), r#""\"a* OR (b)\"""#, "{operator}");
            assert_eq!(at(operator, "a\" OR \"b\\"), r#""\"a OR b\"""#, "{operator}");
        }
    }
}
