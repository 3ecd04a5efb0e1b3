//! A title for an alert whose sender gave none.

use serde_json::Value;

use crate::limits::MAX_TITLE;

/// The members of a JSON alert that name it, the best first.
const NAMES: [&str; 9] = [
    "title",
    "summary",
    "alertname",
    "subject",
    "message",
    "event_title",
    "name",
    "description",
    "text",
];
/// Where these members are, beside the top.
const PARENTS: [&str; 9] = [
    "/commonAnnotations",
    "/commonLabels",
    "/annotations",
    "/labels",
    "/alerts/0/annotations",
    "/alerts/0/labels",
    "/payload",
    "/alert",
    "/event",
];
/// The most of a text that is searched, in lines.
const MAX_LINES: usize = 50;
/// The fewest letters and digits of a line that means something.
const MIN_LETTERS: usize = 3;

/// The title of an alert: what a JSON text names itself, else its first meaningful line; none if no line means anything.
pub fn title_of(text: &str) -> Option<String> {
    let text = text.trim();
    let json = text.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok());
    if let Some(name) = json.flatten().as_ref().and_then(name_of) {
        return Some(name);
    }
    text.lines().take(MAX_LINES).find_map(one_line)
}

fn name_of(json: &Value) -> Option<String> {
    let json = json.as_array().and_then(|list| list.first()).unwrap_or(json);
    let mut places = std::iter::once("").chain(PARENTS).filter_map(|place| json.pointer(place));
    let name = places.find_map(|object| {
        NAMES.iter().find_map(|name| object.get(name)?.as_str()?.lines().find_map(one_line))
    });
    let mut members = json.as_object()?.iter();
    name.or_else(|| {
        members.find_map(|(key, value)| one_line(&format!("{key}: {}", value.as_str()?)))
    })
}

/// A text as one line, without the marks of Markdown and logs around it; none if nothing is left that means something.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let marks = |c: char| c.is_whitespace() || "#*->=_`|{},;:\"'~".contains(c);
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = shown.trim_matches(marks).split_whitespace().collect::<Vec<_>>().join(" ");
    let letters = words.chars().filter(|c| c.is_alphanumeric()).count();
    (letters >= MIN_LETTERS).then(|| cut(&words))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_TITLE {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MAX_TITLE - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_line_that_means_something_is_the_title() {
        for (text, title) in [
            ("Disk full on web-1\nmore", "Disk full on web-1"),
            ("\n\n---\n# **Disk full**\n\nmore", "Disk full"),
            ("```\n{\n  \"broken\": 1,", "broken\": 1"),
            ("[FIRING:1] DiskFull (web-1)", "[FIRING:1] DiskFull (web-1)"),
            ("- \u{7}Pod\tcrashes  again", "Pod crashes again"),
        ] {
            assert_eq!(title_of(text).as_deref(), Some(title), "{text}");
        }
        for nothing in ["", "  \n---\n{}\n", "a\nb"] {
            assert_eq!(title_of(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn json_names_itself() {
        for (alert, title) in [
            (json!({"status": "firing", "title": "Disk full"}), "Disk full"),
            (
                json!({"status": "firing", "commonLabels": {"alertname": "DiskFull"},
                    "commonAnnotations": {"summary": "The disk of web-1 is full"}}),
                "The disk of web-1 is full",
            ),
            (json!({"alerts": [{"labels": {"alertname": "DiskFull"}}]}), "DiskFull"),
            (json!({"payload": {"summary": "High latency"}}), "High latency"),
            (json!([{"message": "first"}, {"message": "second"}]), "first"),
        ] {
            assert_eq!(title_of(&alert.to_string()).as_deref(), Some(title), "{alert}");
        }
        let unnamed = json!({"value": 7, "status": "firing"}).to_string();
        assert_eq!(title_of(&unnamed).as_deref(), Some("status: firing"));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let title = title_of(&"é".repeat(500)).unwrap();
        assert_eq!(title.chars().count(), MAX_TITLE);
        assert!(title.ends_with('…'));
    }
}
