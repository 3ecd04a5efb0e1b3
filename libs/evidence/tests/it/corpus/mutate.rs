//! Derives samples from those that are written by hand, always the same ones.
//!
//! False ones, from each true sample, where they apply:
//!
//! - `ghost`: the cited call becomes one that was not made
//! - `number`: the last number becomes one that no result has
//! - `unit`: the unit becomes one a thousand times larger
//! - `word`: a word in the middle of the quotation becomes another
//! - `name`: the last letters of the name in the first code span become others
//! - `hour`: the hour of the time moves by five
//!
//! True ones: `item`, the sample as an item of a list; `bold`, after a sentence that claims nothing.

use tarsy_evidence::{ClaimKind, Content, extract};

use super::parse::{Case, Kind, Sample};

/// Every sample of a case.
pub(crate) fn all(case: &Case) -> Vec<Sample> {
    let mut samples = case.samples.clone();
    for (index, sample) in case.samples.iter().enumerate().filter(|(_, sample)| sample.is_true) {
        samples.extend(wrapped(sample, index));
        samples.extend(falsified(case, sample, index));
    }
    samples
}

fn wrapped(sample: &Sample, index: usize) -> Option<Sample> {
    if sample.text.contains('\n') {
        return None;
    }
    let (text, origin) = if index.is_multiple_of(2) {
        (format!("**Evidence**\n\n1. {}\n", sample.text), "item")
    } else {
        (
            format!("## What is wrong\n\nThe service is degraded for its users. {}", sample.text),
            "bold",
        )
    };
    Some(Sample { text, origin, verdict: None, ..sample.clone() })
}

fn falsified(case: &Case, sample: &Sample, index: usize) -> Vec<Sample> {
    let claims = extract(&sample.text);
    let last = |wanted: ClaimKind| claims.iter().rev().find(|claim| claim.kind() == wanted);
    let mut made = Vec::new();
    let mut add = |kind: Kind, origin: &'static str, text: Option<String>| {
        let text = text.filter(|text| *text != sample.text);
        made.extend(text.map(|text| Sample { kind, text, is_true: false, verdict: None, origin }));
    };
    if index.is_multiple_of(3)
        && let Some(claim) = last(ClaimKind::Citation)
    {
        add(
            Kind::Citation,
            "ghost",
            Some(replaced(&sample.text, claim.range.clone(), "[call 97]")),
        );
    }
    if sample.kind == Kind::Number
        && let Some(claim) = last(ClaimKind::Quantity)
    {
        add(Kind::Number, "number", other_number(case, sample, claim.range.clone(), index));
    }
    if sample.kind == Kind::Number
        && let Some(claim) = last(ClaimKind::Quantity)
    {
        add(Kind::Number, "unit", other_unit(sample, claim.range.clone()));
    }
    if sample.kind == Kind::Quotation
        && let Some(claim) = last(ClaimKind::Quotation)
    {
        add(Kind::Quotation, "word", other_word(sample, claim.range.clone()));
    }
    if sample.kind == Kind::Name
        && let Some(claim) = last(ClaimKind::Name)
        && let Content::Name(name) = &claim.content
    {
        let kept = name
            .char_indices()
            .nth(name.chars().count().saturating_sub(2))
            .map_or(0, |found| found.0);
        let name = format!("{}qz", name.get(..kept).unwrap_or_default());
        add(Kind::Name, "name", Some(replaced(&sample.text, claim.range.clone(), &name)));
    }
    if sample.kind == Kind::Time
        && let Some(claim) = last(ClaimKind::Time)
    {
        add(Kind::Time, "hour", other_hour(sample, claim.range.clone()));
    }
    made
}

fn replaced(text: &str, range: std::ops::Range<usize>, by: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range, by);
    text
}

/// A number of the same size that stands in no result.
fn other_number(
    case: &Case,
    sample: &Sample,
    range: std::ops::Range<usize>,
    index: usize,
) -> Option<String> {
    let written = sample.text.get(range.clone())?;
    let digits = written.bytes().take_while(u8::is_ascii_digit).count();
    let number: usize = written.get(..digits)?.parse().ok()?;
    let all: String = case.calls.iter().map(|call| call.text.as_str()).collect();
    let candidates = (1..60).map(|step| number + step * 7 + index % 5 + number / 3);
    let other =
        candidates.map(|other| other.to_string()).find(|other| !all.contains(other.as_str()))?;
    Some(replaced(&sample.text, range.start..range.start + digits, &other))
}

fn other_unit(sample: &Sample, range: std::ops::Range<usize>) -> Option<String> {
    const LARGER: [(&str, &str); 12] = [
        ("Mi", "Gi"),
        ("MiB", "GiB"),
        ("Gi", "Ti"),
        ("GiB", "TiB"),
        ("MB", "GB"),
        ("GB", "TB"),
        ("ms", "s"),
        ("G", "T"),
        ("M", "G"),
        ("seconds", "hours"),
        ("minutes", "days"),
        ("kB", "GB"),
    ];
    let written = sample.text.get(range.clone())?;
    let start = written.find(|c: char| c.is_alphabetic())?;
    let unit = written.get(start..)?;
    let larger = LARGER.iter().find(|pair| pair.0 == unit)?.1;
    Some(replaced(&sample.text, range.start + start..range.end, larger))
}

fn other_word(sample: &Sample, range: std::ops::Range<usize>) -> Option<String> {
    let quoted = sample.text.get(range.clone())?;
    let words: Vec<&str> = quoted.split(' ').collect();
    let at = words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.len() > 3 && word.chars().all(char::is_alphabetic))
        .map(|found| found.0)
        .next_back()?;
    let changed: Vec<&str> = words
        .iter()
        .enumerate()
        .map(|(index, word)| if index == at { "invented" } else { word })
        .collect();
    Some(replaced(&sample.text, range, &changed.join(" ")))
}

fn other_hour(sample: &Sample, range: std::ops::Range<usize>) -> Option<String> {
    let written = sample.text.get(range.clone())?;
    let colon = written.find(':')?;
    let start = colon.checked_sub(2)?;
    let hour: u32 = written.get(start..colon)?.parse().ok()?;
    let other = format!("{:02}", (hour + 5) % 24);
    Some(replaced(&sample.text, range.start + start..range.start + colon, &other))
}
