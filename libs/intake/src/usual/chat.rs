//! Messages for chats, which many tools can send to any address: attachments, blocks, embeds, cards and facts. Their parts
//! have the names of a layout; what an alert is about stands in their texts.

use serde_json::{Map, Value, json};

use super::members::joined;
use super::opened::{LINES, pair};
use super::titles;
use crate::alert::Status;

/// Lists and objects that only such messages have.
const LAYOUTS: [&str; 9] = [
    "attachments",
    "blocks",
    "embeds",
    "sections",
    "cards",
    "cardsv2",
    "card",
    "facts",
    "elements",
];
/// Members with a headline, a text, a name beside a value, and a colour.
const HEADLINES: [&str; 4] = ["title", "activitytitle", "header", "headline"];
const TEXTS: [&str; 9] = [
    "text",
    "content",
    "description",
    "pretext",
    "fallback",
    "summary",
    "subtitle",
    "activitysubtitle",
    "message",
];
const NAMES: [&str; 5] = ["title", "name", "label", "key", "toplabel"];
/// Members that only a pair has.
const PAIRED: [&str; 4] = ["value", "toplabel", "label", "key"];
const VALUES: [&str; 3] = ["value", "text", "content"];
const COLOURS: [&str; 3] = ["color", "themecolor", "template"];
const LINKS: [&str; 4] = ["titlelink", "url", "link", "messageurl"];
const TIMES: [&str; 2] = ["ts", "timestamp"];
/// How deep a message is searched, and the most of its parts.
const MAX_DEPTH: usize = 10;
const MAX_PARTS: usize = 300;
/// Words for the colour of a message.
const RED: [&str; 6] = ["danger", "attention", "red", "warning", "orange", "carmine"];
const GREEN: [&str; 4] = ["good", "green", "success", "ok"];

#[derive(Default)]
struct Parts {
    headlines: Vec<String>,
    texts: Vec<String>,
    pairs: Map<String, Value>,
    colours: Vec<String>,
    link: Option<String>,
    time: Option<Value>,
    seen: usize,
}

/// What a message for a chat says, as an object with usual names; none if the payload is none.
pub(super) fn flat(payload: &Value) -> Option<Value> {
    let object = payload.as_object()?;
    let is_layout = |(name, value): (&String, &Value)| {
        LAYOUTS.contains(&joined(name).as_str()) && (value.is_array() || value.is_object())
    };
    let is_card = payload.get("@type").is_some_and(|kind| kind == "MessageCard")
        || payload.get("type").is_some_and(|kind| kind == "AdaptiveCard")
        || payload.get("msgtype").or_else(|| payload.get("msg_type")).is_some();
    if !is_card && !object.iter().any(is_layout) {
        return None;
    }
    // A tool's own alert may have members of these names beside its own.
    if !is_card && (object.contains_key("status") || object.contains_key("state")) {
        return None;
    }
    let mut parts = Parts::default();
    collect(payload, 0, &mut parts);
    let headline = parts.headlines.first().or(parts.texts.first())?.clone();
    let all = parts.headlines.iter().chain(&parts.texts);
    let written = all
        .clone()
        .find_map(|text| titles::of_bracket(text).or_else(|| titles::over_by_title(text)));
    let coloured = parts.colours.iter().find_map(|colour| of_colour(colour));
    let text = parts.texts.join("\n");
    // What stands above all its messages identifies it: their texts change.
    let name = titles::without_state(&headline);
    let mut found = json!({"title": headline, "alertname": name, "text": text});
    let members = found.as_object_mut()?;
    if let Some(status) = written.or(coloured) {
        members.insert("status".to_owned(), status.as_str().into());
    }
    if let Some(link) = parts.link {
        members.insert("url".to_owned(), link.into());
    }
    if let Some(time) = parts.time {
        members.insert("timestamp".to_owned(), time);
    }
    if !parts.pairs.is_empty() {
        members.insert(LINES.to_owned(), Value::Object(parts.pairs));
    }
    Some(found)
}

fn collect(value: &Value, depth: usize, parts: &mut Parts) {
    parts.seen += 1;
    if depth > MAX_DEPTH || parts.seen > MAX_PARTS {
        return;
    }
    match value {
        Value::Array(entries) => entries.iter().for_each(|one| collect(one, depth + 1, parts)),
        Value::Object(object) => {
            if let Some((name, value)) = named(object) {
                parts.pairs.entry(name).or_insert(value.into());
                return;
            }
            let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
            if kind.starts_with("Action") {
                return;
            }
            let is_header = object.get("type").is_some_and(|kind| kind == "header");
            // Layouts stand behind the text above them.
            let (layouts, plain): (Vec<_>, Vec<_>) =
                object.iter().partition(|(_, one)| one.is_array());
            for (written, one) in plain.into_iter().chain(layouts) {
                member(&joined(written), one, is_header, depth, parts);
            }
        }
        _ => {}
    }
}

fn member(name: &str, value: &Value, is_header: bool, depth: usize, parts: &mut Parts) {
    let text = match value {
        Value::String(text) => Some(text.as_str()),
        // Texts of blocks and cards have an object around them.
        Value::Object(inner) => {
            ["text", "content", "title"].iter().find_map(|key| inner.get(*key)?.as_str())
        }
        _ => None,
    };
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    match text {
        Some(text) if HEADLINES.contains(&name) || (is_header && name == "text") => {
            parts.headlines.push(text.to_owned());
        }
        Some(text) if TEXTS.contains(&name) => add_text(text, parts),
        Some(text) if COLOURS.contains(&name) => parts.colours.push(text.to_owned()),
        Some(text) if LINKS.contains(&name) && text.starts_with("http") => {
            parts.link.get_or_insert_with(|| text.to_owned());
        }
        // Discord writes colours as numbers.
        _ if COLOURS.contains(&name) && value.is_u64() => {
            parts.colours.push(format!("{:06x}", value.as_u64().unwrap_or_default()));
        }
        _ if TIMES.contains(&name) => {
            parts.time.get_or_insert_with(|| value.clone());
        }
        _ if value.is_object() || value.is_array() => collect(value, depth + 1, parts),
        _ => {}
    }
}

/// A text, and what its lines name.
fn add_text(text: &str, parts: &mut Parts) {
    let mut lines = text.lines().peekable();
    let mut is_pairs = true;
    while let Some(line) = lines.next() {
        // `*Severity:*` stands above its value.
        let above = line
            .trim()
            .trim_matches(['*', '_'])
            .strip_suffix(':')
            .filter(|_| lines.peek().is_some());
        let found = match above.map(str::trim).filter(|name| !name.contains(':')) {
            Some(name) => lines.next().map(|value| (name.to_owned(), value.trim().to_owned())),
            None => pair(line),
        };
        is_pairs &= found.is_some();
        if let Some((name, value)) = found {
            parts.pairs.entry(name).or_insert(value.into());
        }
    }
    if !is_pairs {
        parts.texts.push(text.to_owned());
    }
}

/// An object that is a name and a value alone, beside words for its layout.
fn named(object: &Map<String, Value>) -> Option<(String, String)> {
    let text = |names: &[&str]| {
        let mut found = object.iter().filter(|(name, _)| names.contains(&joined(name).as_str()));
        found.find_map(|(_, value)| value.as_str().map(str::trim)).filter(|text| !text.is_empty())
    };
    let has_parts = object.values().any(Value::is_array);
    let is_headline = object
        .keys()
        .any(|name| ["color", "titlelink", "fallback", "embeds"].contains(&joined(name).as_str()));
    let (name, value) = (text(&NAMES)?, text(&VALUES)?);
    let is_pair = object.keys().any(|name| PAIRED.contains(&joined(name).as_str()));
    let is_name = name.len() <= 40 && is_pair;
    (is_name && !has_parts && !is_headline)
        .then(|| (name.trim_end_matches(':').to_owned(), value.to_owned()))
}

/// What the colour of a message stands for.
fn of_colour(colour: &str) -> Option<Status> {
    let word = colour.trim_start_matches('#').to_ascii_lowercase();
    if RED.contains(&word.as_str()) {
        return Some(Status::Firing);
    }
    if GREEN.contains(&word.as_str()) {
        return Some(Status::Resolved);
    }
    let number = u32::from_str_radix(&word, 16).ok().filter(|_| word.len() == 6)?;
    let [_, red, green, _] = number.to_be_bytes();
    if green > red { Some(Status::Resolved) } else { Some(Status::Firing) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_headline_texts_and_pairs() {
        let message = json!({"text": "[FIRING:1] X", "attachments": [{"color": "good", "title": "Disk full",
            "title_link": "https://a.example", "text": "97 %", "fields": [{"title": "Severity", "value": "high", "short": true}]}]});
        assert_eq!(
            flat(&message),
            Some(
                json!({"title": "Disk full", "alertname": "Disk full", "text": "[FIRING:1] X\n97 %", "status": "firing", "url": "https://a.example",
                "lines": {"Severity": "high"}})
            )
        );
        let blocks = json!({"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "Disk full"}},
            {"type": "section", "fields": [{"type": "mrkdwn", "text": "*Host:*\nweb-3"}]}]});
        assert_eq!(
            flat(&blocks),
            Some(
                json!({"title": "Disk full", "alertname": "Disk full", "text": "Disk full", "lines": {"Host": "web-3"}})
            )
        );
        assert_eq!(
            flat(&json!({"title": "x", "attachments": []})),
            Some(json!({"title": "x", "alertname": "x", "text": ""}))
        );
        assert_eq!(flat(&json!({"title": "x", "elements": 7})), None);
    }

    #[test]
    fn colours_are_states() {
        for (colour, status) in [
            ("danger", Some(Status::Firing)),
            ("#2EB886", Some(Status::Resolved)),
            ("D63333", Some(Status::Firing)),
            ("Good", Some(Status::Resolved)),
            ("default", None),
        ] {
            assert_eq!(of_colour(colour), status, "{colour}");
        }
    }
}
