//! The arguments of a call, laid out for a person who decides about it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::characters::exact;

/// What one level is indented by.
const INDENT: &str = "  ";
/// What a line is indented by that goes on with a text.
const CONTINUED: &str = "    ";

/// The arguments of a call, JSON: one value a line, and of a value that is a program one statement a line. A line break
/// of a text is shown as `\n`, so that it differs from one of the layout. What is no JSON is shown as it is.
pub fn arguments(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    match serde_json::from_str(text) {
        Ok(value) => push_value(&value, "", &mut out),
        Err(_) => push_statements(text, "", &mut out),
    }
    out
}

fn push_value(value: &Value, indent: &str, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
        Value::String(text) => push_text(text, indent, out),
        Value::Array(items) => {
            let items = items.iter().map(|item| (None, item));
            push_members(['[', ']'], items, indent, out);
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (Some(name.as_str()), value));
            push_members(['{', '}'], members, indent, out);
        }
    }
}

fn push_members<'a>(
    [open, close]: [char; 2],
    members: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
    indent: &str,
    out: &mut String,
) {
    let mut members = members.peekable();
    out.push(open);
    if members.peek().is_none() {
        out.push(close);
        return;
    }
    let deeper = format!("{indent}{INDENT}");
    while let Some((name, value)) = members.next() {
        out.push('\n');
        out.push_str(&deeper);
        if let Some(name) = name {
            push_text(name, &deeper, out);
            out.push_str(": ");
        }
        push_value(value, &deeper, out);
        if members.peek().is_some() {
            out.push(',');
        }
    }
    out.push('\n');
    out.push_str(indent);
    out.push(close);
}

fn push_text(text: &str, indent: &str, out: &mut String) {
    out.push('"');
    push_statements(&text.replace('\\', r"\\").replace('"', r#"\""#), indent, out);
    out.push('"');
}

/// A text with each of its statements on a line of its own.
fn push_statements(text: &str, indent: &str, out: &mut String) {
    let mut rest = text;
    while let Some(found) = next_separator(rest) {
        let (shown, after) = rest.split_at(found.end);
        let (before, _) = shown.split_at(found.start);
        out.push_str(&exact(before));
        push_separator(found.sign, shown.len() - before.len(), out);
        rest = after;
        if !rest.is_empty() {
            out.push('\n');
            out.push_str(indent);
            out.push_str(CONTINUED);
        }
    }
    out.push_str(&exact(rest));
}

/// What stands between two statements: from `start` to `end`, in bytes.
struct Separator {
    sign: char,
    start: usize,
    end: usize,
}

/// The next line break, semicolon, `&&`, `||`, or `|` or `&` before white space. Signs that are the same are one end.
fn next_separator(text: &str) -> Option<Separator> {
    let mut from = 0;
    loop {
        let start = from + text.get(from..)?.find(['\n', ';', '&', '|'])?;
        let rest = text.get(start..)?;
        let sign = rest.chars().next()?;
        let count = rest.len() - rest.trim_start_matches(sign).len();
        let end = start + count;
        let is_spaced = text.get(end..)?.starts_with(char::is_whitespace);
        if matches!(sign, '\n' | ';') || count > 1 || is_spaced {
            return Some(Separator { sign, start, end });
        }
        from = end;
    }
}

/// Line breaks are shown as `\n`, several with their number.
fn push_separator(sign: char, count: usize, out: &mut String) {
    let shown = if sign == '\n' { r"\n".to_owned() } else { sign.to_string() };
    match count {
        1 => out.push_str(&shown),
        2 => out.push_str(&shown.repeat(2)),
        _ => {
            let _ = write!(out, "{shown}[×{count}]");
        }
    }
}
