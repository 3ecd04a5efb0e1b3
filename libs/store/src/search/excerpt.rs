//! The part of a text in which words occur.

use tarsy_contracts::search::TextRange;

/// Characters before the first word that is shown.
const BEFORE: usize = 60;
/// Characters of an excerpt, with what shows that it was cut.
const LENGTH: usize = 240;
/// Stands where an excerpt begins or ends within its text.
const CUT: char = '…';
/// Characters of a word that is rather left out than cut.
const WORD: usize = 24;
/// The most words that are marked in an excerpt.
const MAX_RANGES: usize = 20;

/// An excerpt with at least one of the words, if they occur, and where they stand in it. `words` are in lower case, and the
/// last one may be the beginning of a longer one.
pub(super) fn excerpt(text: &str, words: &[String]) -> (String, Vec<TextRange>) {
    let letters: Vec<char> =
        text.chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
    let lower: Vec<char> =
        letters.iter().map(|one| one.to_lowercase().next().unwrap_or(*one)).collect();
    let words: Vec<Vec<char>> = words.iter().map(|word| word.chars().collect()).collect();
    let places = places(&lower, &words);
    // The longest word says most about where to look.
    let first = places.iter().max_by_key(|place| (place.length, std::cmp::Reverse(place.start)));
    let start = first.map_or(0, |place| beginning(&letters, place.start));
    let end = ending(&letters, start, first.map_or(start, |place| place.start + place.length));
    let before = usize::from(start > 0);
    let units = |range: &[char]| range.iter().map(|one| one.len_utf16()).sum::<usize>();
    let ranges = places
        .iter()
        .filter(|place| place.start >= start && place.start + place.length <= end)
        .take(MAX_RANGES)
        .map(|place| {
            let from = before * CUT.len_utf16() + units(part(&letters, start, place.start));
            let to = from + units(part(&letters, place.start, place.start + place.length));
            TextRange { start: from, end: to }
        })
        .collect();
    let cut = |is_cut: bool| is_cut.then_some(CUT);
    let shown = part(&letters, start, end).iter().copied();
    (cut(start > 0).into_iter().chain(shown).chain(cut(end < letters.len())).collect(), ranges)
}

/// Where an excerpt begins that shows what stands here: with a whole word, unless the one there is long.
fn beginning(letters: &[char], at: usize) -> usize {
    let earliest = at.saturating_sub(BEFORE);
    let Some(last) = earliest.checked_sub(1) else { return 0 };
    let gap = part(letters, last, at.min(last + WORD)).iter().position(|one| one.is_whitespace());
    gap.map_or(earliest, |gap| last + gap + 1)
}

/// Where it ends, not before `least`: with a whole word, too.
fn ending(letters: &[char], start: usize, least: usize) -> usize {
    let latest = start + LENGTH - 2;
    if latest >= letters.len() {
        return letters.len();
    }
    let least = least.max(latest.saturating_sub(WORD));
    let gap = part(letters, least, latest + 1).iter().rposition(|one| one.is_whitespace());
    gap.map_or(latest, |gap| least + gap)
}

/// The document of an alert up to the last line with one of the words, so that type, author and id stand behind the alert only
/// where the words are there. A title that begins the alert is not repeated.
pub(super) fn of_alert(document: &str, words: &[String]) -> String {
    let words: Vec<Vec<char>> = words.iter().map(|word| word.chars().collect()).collect();
    let occurs = |line: &str| {
        let lower: Vec<char> = line.to_lowercase().chars().collect();
        !places(&lower, &words).is_empty()
    };
    let lines: Vec<&str> = document.lines().collect();
    let end = lines.iter().rposition(|line| occurs(line)).map_or(lines.len(), |last| last + 1);
    let repeats = matches!(lines.as_slice(), [title, alert, ..] if alert.starts_with(title));
    let start = usize::from(repeats && end > 1);
    lines.get(start..end).unwrap_or_default().join("\n")
}

fn part(letters: &[char], start: usize, end: usize) -> &[char] {
    letters.get(start..end).unwrap_or_default()
}

struct Place {
    start: usize,
    length: usize,
}

/// Where the words stand, in order and without overlaps.
fn places(lower: &[char], words: &[Vec<char>]) -> Vec<Place> {
    let is_inside = |index: usize| lower.get(index).is_some_and(|one| one.is_alphanumeric());
    let mut places = Vec::new();
    let mut index = 0;
    while index < lower.len() {
        let begins = index == 0 || !is_inside(index - 1);
        let found = words.iter().enumerate().filter(|(place, word)| {
            let is_last = place + 1 == words.len();
            begins
                && part(lower, index, lower.len()).starts_with(word)
                && (is_last || !is_inside(index + word.len()))
        });
        if let Some((_, word)) = found.max_by_key(|(_, word)| word.len()) {
            places.push(Place { start: index, length: word.len() });
            index += word.len();
        } else {
            index += 1;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, words: &[&str]) -> (String, Vec<String>) {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let (excerpt, ranges) = excerpt(text, &words);
        let units: Vec<u16> = excerpt.encode_utf16().collect();
        let parts = ranges
            .iter()
            .map(|range| String::from_utf16(&units[range.start..range.end]).unwrap_or_default());
        (excerpt.clone(), parts.collect())
    }

    #[test]
    fn words_are_marked_whatever_their_case_and_the_last_one_as_a_beginning() {
        let (excerpt, parts) = marked("💥 Error: pod was OOMKilled, no errors", &["error", "oomk"]);
        assert_eq!(excerpt, "💥 Error: pod was OOMKilled, no errors");
        assert_eq!(parts, ["Error", "OOMK"]);
    }

    #[test]
    fn an_excerpt_of_a_long_text_is_short_and_has_the_word() {
        let text = format!("{} checkout-7d9f failed {}", "a ".repeat(5000), "b ".repeat(5000));
        let (excerpt, parts) = marked(&text, &["checkout-7d9f"]);
        assert!((LENGTH - 10..=LENGTH).contains(&excerpt.chars().count()), "{excerpt}");
        assert_eq!(parts, ["checkout-7d9f"]);
    }

    #[test]
    fn an_excerpt_begins_and_ends_with_a_word_and_shows_where_it_was_cut() {
        let text = format!("{} the disk is full {}", "payments ".repeat(50), "again ".repeat(50));
        let (excerpt, parts) = marked(&text, &["disk"]);
        assert!(excerpt.starts_with("…payments ") && excerpt.ends_with(" again…"), "{excerpt}");
        assert_eq!(parts, ["disk"]);
        let (whole, _) = marked("the disk is full", &["disk"]);
        assert_eq!(whole, "the disk is full");
        let (of_one_word, parts) = marked(&format!("{}/disk/{0}", "x".repeat(300)), &["disk"]);
        assert_eq!(of_one_word.chars().count(), LENGTH);
        assert!(of_one_word.starts_with("…x") && of_one_word.ends_with("x…"), "{of_one_word}");
        assert_eq!(parts, ["disk"]);
    }

    #[test]
    fn a_text_without_the_words_is_shown_from_its_beginning() {
        assert_eq!(marked("nothing\nhere", &["disk"]), ("nothing here".to_owned(), Vec::new()));
    }

    #[test]
    fn the_part_of_an_alert_ends_where_the_words_do_and_has_its_title_once() {
        let document =
            "Disk of db-1 is full\nDisk of db-1 is full: 98 %\nhost critical alice\n01a2-17aa";
        let part = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            of_alert(document, &words)
        };
        assert_eq!(part(&["disk"]), "Disk of db-1 is full: 98 %");
        assert_eq!(part(&["full", "alic"]), "Disk of db-1 is full: 98 %\nhost critical alice");
        assert_eq!(part(&["01a2"]).lines().last(), Some("01a2-17aa"));
        assert_eq!(part(&["elsewhere"]).lines().count(), 3);
        assert_eq!(of_alert("Title\nother text\nmeta", &["title".to_owned()]), "Title");
    }
}
