//! Scores the text of a report against the answers that a case expects.

use serde::{Deserialize, Serialize};

use crate::case::Expected;

/// Words of a heading below which the causes stand.
const CAUSE_HEADINGS: [&str; 4] = ["cause", "conclusion", "diagnosis", "leading signal"];
/// Words of a paragraph that names a cause, in a report without such a heading.
const CAUSE_WORDS: [&str; 6] = ["cause", "because", "due to", "caused by", "reason", "finding"];
/// The most candidates that are compared.
const MAX_CANDIDATES: usize = 50;

/// How a report answers a case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The place of the expected cause among the candidates of the report, from 1; none if it is not among them.
    pub rank: Option<u32>,
    /// The first candidate names the object.
    pub object: bool,
    /// The first candidate names the category.
    pub category: bool,
    /// Expected facts that the report does not state, by their first spelling.
    pub missing_evidence: Vec<String>,
    /// Forbidden texts that the report contains.
    pub forbidden_evidence: Vec<String>,
}

impl Score {
    /// Whether the cause is among the first candidates, and nothing forbidden is stated.
    pub fn is_at(&self, places: u32) -> bool {
        self.rank.is_some_and(|rank| rank <= places) && self.forbidden_evidence.is_empty()
    }
}

/// Scores a report.
pub fn score(report: &str, expected: &Expected) -> Score {
    let candidates: Vec<String> = candidates(report).iter().map(|text| normal(text)).collect();
    let names_any = |text: &str, names: &[String]| names.iter().any(|name| contains(text, name));
    let rank = candidates.iter().position(|one| names_any(one, &expected.cause));
    let first = candidates.first().map(String::as_str).unwrap_or_default();
    let whole = normal(report);
    let required = expected.required_evidence.iter();
    let forbidden = expected.forbidden_evidence.iter();
    Score {
        rank: rank.and_then(|at| u32::try_from(at + 1).ok()),
        object: names_any(first, &expected.object),
        category: names_any(first, &expected.category),
        missing_evidence: required
            .filter(|names| !names_any(&whole, names))
            .filter_map(|names| names.first().cloned())
            .collect(),
        forbidden_evidence: forbidden.filter(|text| contains(&whole, text)).cloned().collect(),
    }
}

/// The candidate causes of a Markdown report, in order: the items or paragraphs below a heading that speaks of causes;
/// without such a heading the paragraphs that speak of them; else all paragraphs.
pub fn candidates(report: &str) -> Vec<&str> {
    let blocks = blocks(report);
    let mut found: Vec<&str> = Vec::new();
    let mut is_below = false;
    for block in &blocks {
        match block {
            Block::Heading(text) => {
                let text = text.to_lowercase();
                is_below = CAUSE_HEADINGS.iter().any(|word| text.contains(word));
            }
            Block::Text(text) if is_below => found.push(text),
            Block::Text(_) => {}
        }
    }
    let texts = || blocks.iter().filter_map(Block::text);
    if found.is_empty() {
        found = texts().filter(|text| mentions_cause(text)).collect();
    }
    if found.is_empty() {
        found = texts().collect();
    }
    found.truncate(MAX_CANDIDATES);
    found
}

fn mentions_cause(text: &str) -> bool {
    let text = text.to_lowercase();
    CAUSE_WORDS.iter().any(|word| text.contains(word))
}

/// A heading, or a paragraph or item of a list.
enum Block<'t> {
    Heading(&'t str),
    Text(&'t str),
}

impl<'t> Block<'t> {
    fn text(&self) -> Option<&'t str> {
        match self {
            Self::Heading(_) => None,
            Self::Text(text) => Some(text),
        }
    }
}

/// Splits Markdown at headings, blank lines and items of lists. An indented line continues its item.
fn blocks(report: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut begin: Option<usize> = None;
    let mut at = 0;
    for line in report.split_inclusive('\n') {
        let (from, text) = (at, line.trim());
        at += line.len();
        let is_heading = text.starts_with('#') || is_bold_line(text);
        let is_item = !line.starts_with(' ') && is_item(text);
        if (text.is_empty() || is_heading || is_item)
            && let Some(begin) = begin.take()
        {
            push(&mut blocks, report.get(begin..from));
        }
        if is_heading {
            blocks.push(Block::Heading(text));
        } else if !text.is_empty() && begin.is_none() {
            begin = Some(from);
        }
    }
    if let Some(begin) = begin {
        push(&mut blocks, report.get(begin..));
    }
    blocks
}

fn push<'t>(blocks: &mut Vec<Block<'t>>, text: Option<&'t str>) {
    if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
        blocks.push(Block::Text(text));
    }
}

/// A line in bold is a heading in all but its marks.
fn is_bold_line(text: &str) -> bool {
    text.len() > 4 && text.starts_with("**") && text.trim_end_matches(':').ends_with("**")
}

fn is_item(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = text.get(digits..).unwrap_or_default();
    let numbered = digits > 0 && (rest.starts_with(". ") || rest.starts_with(") "));
    numbered || ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
}

/// Whether a normalized text contains a name as whole words.
fn contains(text: &str, name: &str) -> bool {
    let name = normal(name);
    !name.trim().is_empty() && text.contains(&name)
}

/// Small letters; everything that is neither a letter nor a digit is one space, also at both ends.
fn normal(text: &str) -> String {
    let mut normal = " ".to_owned();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            normal.push(c);
        } else if !normal.ends_with(' ') {
            normal.push(' ');
        }
    }
    if !normal.ends_with(' ') {
        normal.push(' ');
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Expected {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        Expected {
            cause: names(&["file system is full", "disk full", "no space left"]),
            object: names(&["/var/lib/db"]),
            category: names(&["disk", "storage"]),
            required_evidence: vec![names(&["100 %", "100%"])],
            forbidden_evidence: names(&["memory leak"]),
        }
    }

    const RANKED: &str = "# Finding\n\nThe service stopped at 10:02.\n\n## Possible causes\n\n1. The network was slow\n   for a minute.\n2. The disk of `/var/lib/db` is at 100 % [call 1]:\n   no space left.\n3. Something else.\n\n## What to do\n\n- Delete old files.\n";

    #[test]
    fn the_rank_is_the_place_of_the_cause_below_its_heading() {
        let found = candidates(RANKED);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].ends_with("for a minute."));
        let score = score(RANKED, &expected());
        assert_eq!(score.rank, Some(2));
        assert!(!score.is_at(1) && score.is_at(3));
        assert!(!score.object && !score.category, "the first candidate names neither");
        assert!(score.missing_evidence.is_empty());
    }

    #[test]
    fn a_report_without_headings_is_read_by_its_paragraphs() {
        let report =
            "Everything was looked at.\n\nThe cause is a disk full of logs at /var/lib/db.";
        let score = score(report, &expected());
        assert_eq!(score.rank, Some(1));
        assert!(score.object && score.category);
        assert_eq!(score.missing_evidence, ["100 %"]);
        assert_eq!(candidates("One.\n\nTwo."), ["One.", "Two."]);
    }

    #[test]
    fn a_forbidden_statement_takes_the_hit_away() {
        let report = "**Root cause**\n\nDisk full, or a memory leak.";
        let score = score(report, &expected());
        assert_eq!((score.rank, score.is_at(1)), (Some(1), false));
        assert_eq!(score.forbidden_evidence, ["memory leak"]);
    }

    #[test]
    fn names_are_compared_as_whole_words() {
        let text = normal("The DISK-full of web-10");
        assert!(contains(&text, "disk full") && contains(&text, "web-10"));
        assert!(!contains(&text, "web-1") && !contains(&text, "") && !contains(&text, "/"));
    }

    #[test]
    fn an_empty_report_names_nothing() {
        let score = score("", &expected());
        assert_eq!(score.rank, None);
        assert!(!score.object && !score.category);
    }
}
