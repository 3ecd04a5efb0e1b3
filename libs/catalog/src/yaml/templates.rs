//! `{{.NAME}}` in values, hidden from the YAML parser and replaced afterwards.

use std::collections::BTreeSet;

use crate::env::Env;

/// Characters of the private use area that stand for the braces of `{{.NAME}}` while YAML is read; as many
/// of them as there were characters, so that columns stay true.
const OPEN: char = '\u{E0A7}';
const CLOSE: char = '\u{E0A8}';

/// The name of the one template that stays: it is replaced for each execution of an agent.
const SESSION_ID: &str = "SESSION_ID";
/// The same as it is written.
pub const SESSION_ID_TEMPLATE: &str = "{{.SESSION_ID}}";

/// Replaces the braces of `{{.NAME}}`, which YAML would read as mappings, one character by one.
/// The line and column of a character that would be mistaken for a brace are an error.
pub(super) fn hide(text: &str) -> Result<String, (usize, usize)> {
    for (index, line) in text.lines().enumerate() {
        if let Some(column) = line.chars().position(|c| c == OPEN || c == CLOSE) {
            return Err((index + 1, column + 1));
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let (before, after) = rest.split_at(start);
        out.push_str(before);
        if let Some((name, length)) = template(after) {
            let whole = after.get(..length).unwrap_or_default();
            let lead = whole.find(name).unwrap_or_default();
            let tail = whole.len() - lead - name.len();
            out.extend(std::iter::repeat_n(OPEN, lead));
            out.push_str(name);
            out.extend(std::iter::repeat_n(CLOSE, tail));
            rest = after.get(length..).unwrap_or_default();
        } else {
            out.push('{');
            rest = after.get(1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// The name and the length of a template at the beginning of `text`, if there is one.
fn template(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix("{{")?;
    let end = inner.find("}}")?;
    let name = inner.get(..end)?.trim_matches(' ').strip_prefix('.')?;
    let well_formed = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    well_formed.then_some((name, end + 4))
}

/// The variables that a text names.
pub(crate) fn names(text: &str) -> BTreeSet<String> {
    let starts = text.match_indices("{{").filter_map(|(start, _)| text.get(start..));
    let named = starts.filter_map(template).map(|(name, _)| name);
    named.filter(|name| *name != SESSION_ID).map(str::to_owned).collect()
}

/// Gives hidden templates their braces back.
pub(super) fn restore(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = None;
    for c in text.chars() {
        match c {
            OPEN if previous != Some(OPEN) => out.push_str("{{."),
            CLOSE if previous != Some(CLOSE) => out.push_str("}}"),
            OPEN | CLOSE => {}
            other => out.push(other),
        }
        previous = Some(c);
    }
    out
}

/// The value with each hidden `{{.NAME}}` replaced by its variable, and the names of variables that are not set.
pub(super) fn expand(value: &str, env: &Env) -> (String, Vec<String>) {
    let (mut out, mut unset) = (String::with_capacity(value.len()), Vec::new());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        let after = after.trim_start_matches(OPEN);
        let Some((name, after)) = after.split_once(CLOSE) else { break };
        match env.get(name) {
            _ if name == SESSION_ID => out.push_str(SESSION_ID_TEMPLATE),
            Some(value) => out.push_str(&value),
            None => unset.push(name.to_owned()),
        }
        rest = after.trim_start_matches(CLOSE);
    }
    out.push_str(rest);
    (out, unset)
}
