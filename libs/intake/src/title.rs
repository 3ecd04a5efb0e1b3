//! A title for an alert whose sender gave none.

use serde_json::Value;

use crate::limits::MAX_TITLE;
use crate::usual;

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
/// The fewest letters and digits of a line of ASCII that says something, such as `CPU`. One letter of a script with thousands
/// of them can be a word.
const MIN_LETTERS: usize = 3;
/// Joins the parts of one shown character.
const JOINER: char = '\u{200d}';

/// The title of an alert: what a JSON text names itself, else its first line that says something, else the first one with
/// anything to see; none if there is nothing to see.
pub fn title_of(text: &str) -> Option<String> {
    let text = text.trim();
    let json = text.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok());
    if let Some(name) = json.flatten().as_ref().and_then(name_of) {
        return Some(name);
    }
    let lines = || text.lines().take(MAX_LINES).filter_map(one_line);
    lines().find(|line| is_meaningful(line)).or_else(|| lines().next())
}

fn name_of(json: &Value) -> Option<String> {
    let payload = json;
    let json = json.as_array().and_then(|list| list.first()).unwrap_or(json);
    let mut places = std::iter::once("").chain(PARENTS).filter_map(|place| json.pointer(place));
    let name = places.find_map(|object| {
        NAMES.iter().find_map(|name| object.get(name)?.as_str()?.lines().find_map(one_line))
    });
    let mut members = json.as_object()?.iter();
    name.or_else(|| usual::title(payload)).or_else(|| {
        members.find_map(|(key, value)| one_line(&format!("{key}: {}", value.as_str()?)))
    })
}

/// Whether a line is more than a mark, a number or an abbreviation.
fn is_meaningful(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphanumeric());
    letters.clone().any(|c| !c.is_ascii()) || letters.count() >= MIN_LETTERS
}

/// A text as one line, without the marks of Markdown and logs around it; none if nothing is left to see. Whoever names an
/// alert by one character, such as an emoji, means it.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let marks = |c: char| c.is_whitespace() || "#*->=_`|{},;:\"'~".contains(c);
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = shown.trim_matches(marks).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().any(is_seen).then(|| cut(&words))
}

/// Whether a character shows something by itself. Of those that format others, the usual ones are known.
fn is_seen(c: char) -> bool {
    const FORMATS: [std::ops::RangeInclusive<char>; 9] = [
        '\u{ad}'..='\u{ad}',
        '\u{61c}'..='\u{61c}',
        '\u{180e}'..='\u{180e}',
        '\u{200b}'..='\u{200f}',
        '\u{202a}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{fe00}'..='\u{fe0f}',
        '\u{feff}'..='\u{feff}',
        '\u{e0000}'..='\u{e01ef}',
    ];
    !c.is_whitespace() && !c.is_control() && !FORMATS.iter().any(|range| range.contains(&c))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_TITLE {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MAX_TITLE - 1).collect();
    format!("{}…", kept.trim_end_matches(|c: char| c.is_whitespace() || c == JOINER))
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
        for nothing in ["", "  \n---\n{}\n", "\u{200b}\u{202e}\n\u{feff}"] {
            assert_eq!(title_of(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_title_may_be_short_and_of_any_script() {
        for (text, title) in [
            ("宕机", "宕机"),
            ("OK\n磁盘使用率超过90%", "磁盘使用率超过90%"),
            ("ディスク\nfull", "ディスク"),
            ("תקלה בשרת", "תקלה בשרת"),
            ("خطأ", "خطأ"),
            ("#1\n\u{e2b}", "\u{e2b}"),
            ("🔥", "🔥"),
            ("🔥\nDisk full", "Disk full"),
            ("👩\u{200d}🚒", "👩\u{200d}🚒"),
            ("DB", "DB"),
            ("a\nb", "a"),
        ] {
            assert_eq!(title_of(text).as_deref(), Some(title), "{text}");
            let named = json!({"status": "firing", "title": title}).to_string();
            assert_eq!(title_of(&named).as_deref(), Some(title), "{named}");
        }
        let unseen = json!({"title": "\u{200b}", "summary": "宕"}).to_string();
        assert_eq!(title_of(&unseen).as_deref(), Some("宕"));
        let joined =
            title_of(&format!("{}{}", "x".repeat(MAX_TITLE - 2), "👩\u{200d}🚒🚒")).unwrap();
        assert!(joined.ends_with("👩…") || joined.ends_with("x…"), "{joined}");
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
