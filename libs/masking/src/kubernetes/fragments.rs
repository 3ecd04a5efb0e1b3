//! What is printed of Secrets without a kind: `kubectl describe`, one value, a map of values.

use std::ops::Range;

use memchr::memmem;

use super::flow::data_values;
use crate::base64::{is_encoded_text, is_symbol};

/// The head of the values in `kubectl describe`.
const DATA_HEAD: &str = "\nData\n====\n";

/// Finds values that nothing names.
pub(super) fn find(text: &str, is_whole: bool, found: &mut Vec<Range<usize>>) {
    described(text, found);
    go_maps(text, found);
    if is_whole {
        single_value(text, found);
        map_of_values(text, found);
    }
}

/// `kubectl describe secret` shows tokens in full and the length of all else; a described `ConfigMap` underlines its keys.
fn described(text: &str, found: &mut Vec<Range<usize>>) {
    for head in memmem::find_iter(text.as_bytes(), DATA_HEAD) {
        let mut at = head + DATA_HEAD.len();
        let entries = text.get(at..).unwrap_or_default();
        let mut lines = entries.split('\n');
        let first_is_bare = lines.next().is_some_and(|line| line.trim_end().ends_with(':'));
        if first_is_bare && lines.next().is_some_and(|line| line.starts_with("---")) {
            continue;
        }
        for line in entries.split('\n') {
            let Some((_, value)) = line.split_once(':').filter(|(key, _)| !key.contains(' '))
            else {
                break;
            };
            let trimmed = value.trim();
            let size = trimmed
                .strip_suffix(" bytes")
                .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
            if !trimmed.is_empty() && !size {
                let start = at + line.len() - value.trim_start().len();
                found.push(start..start + trimmed.len());
            }
            at += line.len() + 1;
        }
    }
}

/// `map[password:cGFzc3dvcmQ= username:YWRtaW4=]`, as Go prints the data of a Secret.
fn go_maps(text: &str, found: &mut Vec<Range<usize>>) {
    let open = "map[";
    for head in memmem::find_iter(text.as_bytes(), open) {
        let start = head + open.len();
        let Some(inside) = text.get(start..).and_then(|rest| rest.split([']', '[', '\n']).next())
        else {
            continue;
        };
        let mut values = Vec::new();
        let mut at = start;
        for part in inside.split(' ') {
            if let Some((_, value)) = part.split_once(':') {
                let end = at + part.len();
                values.push(end - value.len()..end);
            }
            at += part.len() + 1;
        }
        if all_encoded(text, &values) {
            found.extend(values);
        }
    }
}

/// The whole text is one value: `-o jsonpath='{.data.password}'`.
fn single_value(text: &str, found: &mut Vec<Range<usize>>) {
    let value = text.trim().trim_matches(['\'', '"']);
    let symbols = |value: &str| value.bytes().all(|byte| is_symbol(byte) || byte == b'=');
    let alone = value.len() >= 8 && value.len() <= 1024 * 1024 && symbols(value);
    let alone = alone && value.contains(|c: char| c.is_ascii_alphabetic());
    if alone && is_encoded_text(value) {
        let start = text.find(value).unwrap_or(0);
        found.push(start..start + value.len());
    }
}

/// The whole text is an object of such values: `-o jsonpath='{.data}'`.
fn map_of_values(text: &str, found: &mut Vec<Range<usize>>) {
    let trimmed = text.trim();
    let whole = trimmed.starts_with('{') && trimmed.ends_with('}');
    let flat = whole && trimmed.rfind('{') == Some(0) && !trimmed.contains('[');
    if !flat || trimmed.contains("\"apiVersion\"") || trimmed.contains("\"kind\"") {
        return;
    }
    let start = text.find('{').unwrap_or(0);
    let (values, end) = data_values(text, start..text.len());
    if text.get(end..).is_some_and(|rest| rest.trim().is_empty()) && all_encoded(text, &values) {
        found.extend(values);
    }
}

fn all_encoded(text: &str, values: &[Range<usize>]) -> bool {
    values.iter().any(|range| range.len() >= 8)
        && values.iter().all(|range| text.get(range.clone()).is_some_and(is_encoded_text))
}
