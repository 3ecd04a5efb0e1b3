//! Scores an investigation against the answers that a case expects: by its structured verdict, or by the text of its report.

use serde::{Deserialize, Serialize};
use tarsy_domain::verdict::{Confidence, Verdict};

use crate::case::Expected;
use crate::verdict::causes;

/// Words of a heading below which the causes stand.
const CAUSE_HEADINGS: [&str; 4] = ["cause", "conclusion", "diagnosis", "leading signal"];
/// Words of a paragraph that names a cause, in a report without such a heading.
const CAUSE_WORDS: [&str; 6] = ["cause", "because", "due to", "caused by", "reason", "finding"];
/// The most candidates that are compared.
const MAX_CANDIDATES: usize = 50;

/// How a report answers a case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The place of the expected cause among the candidates, from 1; none if it is not among them.
    pub rank: Option<u32>,
    /// The first candidate names the object; none if the case expects none.
    #[serde(default)]
    pub object: Option<bool>,
    /// The first candidate names the category; none if the case expects none.
    #[serde(default)]
    pub category: Option<bool>,
    /// Expected facts that the report does not state, by their first spelling.
    pub missing_evidence: Vec<String>,
    /// Forbidden texts that the report contains.
    pub forbidden_evidence: Vec<String>,
    /// The confidence of the stated cause; none if the verdict states none, and without a verdict.
    #[serde(default)]
    pub stated: Option<Confidence>,
    /// Nothing is wrong in the case: the right answer states no cause.
    #[serde(default)]
    pub healthy: bool,
}

impl Score {
    /// The score of a run that did not complete.
    pub fn missed(expected: &Expected) -> Self {
        let is_asked = |names: &[String]| (!names.is_empty()).then_some(false);
        Self {
            object: is_asked(&expected.object),
            category: is_asked(&expected.category),
            healthy: expected.healthy,
            ..Self::default()
        }
    }

    /// Whether the cause is among the first candidates, and nothing forbidden is stated.
    pub fn is_at(&self, places: u32) -> bool {
        self.rank.is_some_and(|rank| rank <= places) && self.forbidden_evidence.is_empty()
    }
}

/// A possible cause, its object and its category, normalized.
struct Candidate {
    text: String,
    object: String,
    category: String,
}

/// Scores an investigation: causes, object and category by its verdict, without one by the candidates of its report; required
/// facts by the report; forbidden ones by the verdict's cause and evidence, without one by the report.
pub fn score(report: &str, verdict: Option<&Verdict>, expected: &Expected) -> Score {
    let candidates = match verdict {
        Some(verdict) => of_verdict(verdict),
        None => of_report(report),
    };
    let rank = candidates.iter().position(|one| names_any(&one.text, &expected.cause));
    let first = candidates.first();
    let names = |text: Option<&str>, names: &[String]| {
        (!names.is_empty()).then(|| text.is_some_and(|text| names_any(text, names)))
    };
    let whole = normal(report);
    let stated = match verdict {
        Some(verdict) if verdict.states_cause() => conclusion(verdict),
        Some(_) => String::new(),
        None => whole.clone(),
    };
    let required = expected.required_evidence.iter();
    let forbidden = expected.forbidden_evidence.iter();
    Score {
        rank: rank.and_then(|at| u32::try_from(at + 1).ok()),
        object: names(first.map(|one| one.object.as_str()), &expected.object),
        category: names(first.map(|one| one.category.as_str()), &expected.category),
        missing_evidence: required
            .filter(|names| !names_any(&whole, names))
            .filter_map(|names| names.first().cloned())
            .collect(),
        forbidden_evidence: forbidden.filter(|text| contains(&stated, text)).cloned().collect(),
        stated: verdict.filter(|one| one.states_cause()).map(|one| one.confidence),
        healthy: expected.healthy,
    }
}

/// What a verdict states as the cause, with its evidence; not what it rules out.
fn conclusion(verdict: &Verdict) -> String {
    let lines = verdict.evidence.iter().map(|one| one.text.as_str());
    let parts: Vec<&str> = std::iter::once(verdict.cause.as_str()).chain(lines).collect();
    normal(&parts.join("\n"))
}

fn of_verdict(verdict: &Verdict) -> Vec<Candidate> {
    let causes = causes(verdict).take(MAX_CANDIDATES);
    causes
        .map(|one| Candidate {
            text: normal(&one.text()),
            object: normal(&one.object_text()),
            category: normal(one.category.as_str()),
        })
        .collect()
}

/// A candidate of a report is one text for all three.
fn of_report(report: &str) -> Vec<Candidate> {
    let texts = candidates(report).into_iter().map(normal);
    texts.map(|text| Candidate { object: text.clone(), category: text.clone(), text }).collect()
}

/// Whether a normalized text contains one of the names.
fn names_any(text: &str, names: &[String]) -> bool {
    names.iter().any(|name| contains(text, name))
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
    use tarsy_domain::verdict::Outcome;

    use super::*;

    fn expected() -> Expected {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        Expected {
            cause: names(&["file system is full", "disk full", "no space left"]),
            object: names(&["/var/lib/db"]),
            category: names(&["disk", "storage"]),
            required_evidence: vec![names(&["100 %", "100%"])],
            forbidden_evidence: names(&["memory leak"]),
            healthy: false,
        }
    }

    const RANKED: &str = "# Finding\n\nThe service stopped at 10:02.\n\n## Possible causes\n\n1. The network was slow\n   for a minute.\n2. The disk of `/var/lib/db` is at 100 % [call 1]:\n   no space left.\n3. Something else.\n\n## What to do\n\n- Delete old files.\n";

    #[test]
    fn the_rank_is_the_place_of_the_cause_below_its_heading() {
        let found = candidates(RANKED);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].ends_with("for a minute."));
        let score = score(RANKED, None, &expected());
        assert_eq!(score.rank, Some(2));
        assert!(!score.is_at(1) && score.is_at(3));
        let neither = (Some(false), Some(false));
        assert_eq!((score.object, score.category), neither, "the first candidate names neither");
        assert!(score.missing_evidence.is_empty());
    }

    #[test]
    fn a_report_without_headings_is_read_by_its_paragraphs() {
        let report =
            "Everything was looked at.\n\nThe cause is a disk full of logs at /var/lib/db.";
        let score = score(report, None, &expected());
        assert_eq!(score.rank, Some(1));
        assert_eq!((score.object, score.category), (Some(true), Some(true)));
        assert_eq!(score.missing_evidence, ["100 %"]);
        assert_eq!(candidates("One.\n\nTwo."), ["One.", "Two."]);
    }

    #[test]
    fn a_forbidden_statement_takes_the_hit_away() {
        let report = "**Root cause**\n\nDisk full, or a memory leak.";
        let score = score(report, None, &expected());
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
        let score = score("", None, &expected());
        assert_eq!(score.rank, None);
        assert_eq!(
            score,
            Score { missing_evidence: vec!["100 %".to_owned()], ..Score::missed(&expected()) }
        );
    }

    fn verdict() -> Verdict {
        serde_json::from_value(serde_json::json!({
            "outcome": "cause_found", "alert_statement": "confirmed", "answer": "",
            "cause": "no space left", "category": "network_fault", "confidence": "high",
            "object": {"kind": "filesystem", "name": "/srv", "namespace": null}, "since": null, "evidence": [],
            "alternatives": [{"cause": "a disk full of logs", "category": "disk", "object": null, "because": "later",
                              "evidence": []}],
            "not_examined": [], "next_steps": [], "source": "model",
        }))
        .unwrap()
    }

    #[test]
    fn a_verdict_is_scored_by_its_fields_and_its_report_only_for_facts() {
        let report = "# Cause\n\nThe storage at /var/lib/db is at 100 %.";
        let score = score(report, Some(&verdict()), &expected());
        assert_eq!(score.rank, Some(1));
        assert_eq!((score.object, score.category), (Some(false), Some(false)));
        assert!(score.missing_evidence.is_empty());
    }

    #[test]
    fn a_hint_is_no_cause() {
        let hint = Verdict { outcome: Outcome::NoFaultFound, ..verdict() };
        let score = score("# Cause\n\nno space left", Some(&hint), &expected());
        assert_eq!((score.rank, score.forbidden_evidence.len()), (None, 0));
    }

    #[test]
    fn the_alternatives_of_a_verdict_are_the_next_ranks() {
        let expected = Expected { cause: vec!["disk full".to_owned()], ..Expected::default() };
        let score = score("", Some(&verdict()), &expected);
        assert_eq!(score.rank, Some(2));
        assert_eq!((score.object, score.category), (None, None), "the case expects neither");
    }
}
