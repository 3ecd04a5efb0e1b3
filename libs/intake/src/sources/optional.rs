//! Values that an alert is kept without, if they are missing or have another form.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::alert::Draft;
use crate::json::{Labels, Node};

pub(super) fn text(node: &Node<'_>) -> Option<String> {
    node.text().ok().flatten()
}

/// The first of these members that has a text.
pub(super) fn first_text(of: &Node<'_>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| text(&of.at(name)))
}

/// The entries of a list, at most so many.
pub(super) fn list<'a>(node: &Node<'a>, most: usize) -> Vec<Node<'a>> {
    let mut entries = node.list(usize::MAX).unwrap_or_default();
    entries.truncate(most);
    entries
}

/// A time of RFC 3339, in seconds or milliseconds since 1970, or without a zone where the source writes UTC.
pub(super) fn time(node: &Node<'_>) -> Option<Timestamp> {
    /// In milliseconds this is in 1973, in seconds in 5138.
    const MOST_SECONDS: i64 = 100_000_000_000;
    let text = text(node)?;
    let text = text.trim();
    // Icinga writes a fraction of a second.
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    if let Ok(number) = whole.parse::<i64>() {
        return match number {
            // Sources write it for none.
            0 => None,
            _ if number.abs() < MOST_SECONDS => Timestamp::from_second(number).ok(),
            _ => Timestamp::from_millisecond(number).ok(),
        };
    }
    let zoned = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    text.parse().ok().or_else(|| zoned().map(|zoned| zoned.timestamp()))
}

pub(super) fn label(labels: &mut Labels, name: &str, node: &Node<'_>) {
    if let Some(value) = text(node) {
        labels.add(node, name, &value).ok();
    }
}

/// Labels that are the members of an object.
pub(super) fn all_labels(labels: &mut Labels, node: &Node<'_>) {
    for name in node.value().and_then(Value::as_object).into_iter().flat_map(|object| object.keys())
    {
        label(labels, name, &node.at(name));
    }
}

pub(super) fn annotation(draft: &mut Draft, name: &str, node: &Node<'_>) {
    if let Ok(Some(text)) = node.annotation() {
        draft.annotations.insert(name.to_owned(), text);
    }
}

/// The last part of a path or ARN.
pub(super) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(path)
}
