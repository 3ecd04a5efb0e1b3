//! How texts, times and durations are written.

use jiff::{SignedDuration, Timestamp};
use tarsy_contracts::postmortem::PostmortemImpact;
use tarsy_domain::verdict::Category;

/// Characters of a text beside others.
pub(super) const SHORT: usize = 300;
/// Characters of a text of its own.
pub(super) const LONG: usize = 1_000;

/// One line of at most so many characters.
pub(super) fn line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// `2026-02-11 09:41:20`, in UTC.
pub(super) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The two largest units: `2 d 3 h`, `1 h 12 min`, `45 s`.
pub(super) fn duration(seconds: i64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds.max(0);
    let mut parts = Vec::new();
    for (size, unit) in units {
        let count = rest / size;
        rest %= size;
        if count > 0 {
            parts.push(format!("{count} {unit}"));
        } else if !parts.is_empty() {
            break;
        }
    }
    parts.truncate(2);
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// Seconds from one to the other; none if the other is earlier.
pub(super) fn between(from: Timestamp, to: Timestamp) -> Option<i64> {
    let length = to.duration_since(from);
    (length >= SignedDuration::ZERO).then(|| length.as_secs())
}

/// A kind of cause, as people read it: of the closed list, or as a reviewer wrote it.
pub(super) fn category(word: &str) -> String {
    word.parse::<Category>().map_or_else(|_| line(word, SHORT), Category::words)
}

/// `1 alert`, `2 alerts`.
pub(super) fn counted(count: i64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// How many alerts there were, and how often they came: `1, sent 6 times`, `3 different ones, sent 8 times`.
pub(super) fn alerts(impact: &PostmortemImpact) -> String {
    let different = match impact.alerts {
        1 => "1".to_owned(),
        alerts => format!("{alerts} different ones"),
    };
    format!("{different}, sent {}", counted(impact.notifications, "time"))
}

/// A sentence of a text that may have a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let has_end = text.ends_with(['.', '!', '?', '…']);
    if has_end { text.to_owned() } else { format!("{text}.") }
}

/// Adds a text that is not there yet.
pub(super) fn add(texts: &mut Vec<String>, text: String) {
    if !texts.contains(&text) {
        texts.push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_their_two_largest_units() {
        for (seconds, expected) in [
            (0, "0 s"),
            (-5, "0 s"),
            (45, "45 s"),
            (60, "1 min"),
            (3_605, "1 h"),
            (4_320, "1 h 12 min"),
            (2 * 86_400 + 3 * 3_600 + 59, "2 d 3 h"),
        ] {
            assert_eq!(duration(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn a_text_is_one_line_of_a_bounded_length() {
        assert_eq!(line("a\n# b\t c", 20), "a # b c");
        assert_eq!(line("äöüß", 3), "äö…");
        assert_eq!(
            (counted(1, "alert"), counted(2, "alert")),
            ("1 alert".into(), "2 alerts".into())
        );
        assert_eq!(
            (sentence("it is full"), sentence("Why?")),
            ("it is full.".into(), "Why?".into())
        );
    }

    #[test]
    fn a_category_is_of_the_list_or_of_its_reviewer() {
        assert_eq!(category("out_of_memory"), "out of memory");
        assert_eq!(category("a bad day"), "a bad day");
    }
}
