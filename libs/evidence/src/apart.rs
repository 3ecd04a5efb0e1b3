//! Parts a text: what may stand as a finding, and the statements that may not.

use std::ops::Range;

use crate::claim::{Block, BlockKind, Document, blocks};

/// A text without some of its statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parted {
    pub rest: String,
    /// In the order of the text.
    pub statements: Vec<Apart>,
}

/// A statement that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// On one line.
    pub text: String,
    /// Which of the given places stand in it.
    pub places: Vec<usize>,
}

/// Takes out each statement in which one of the places stands: a sentence, an item of a list, a row of a table, a line of
/// code. A place is in bytes of the text; one outside the text is left out.
pub fn part(text: &str, places: &[Range<usize>]) -> Parted {
    let blocks = blocks(text);
    let statements = Document::parse(text).statements;
    let sentences: Vec<Range<usize>> =
        statements.iter().map(|one| one.start..one.start + one.text.len()).collect();
    let mut found: Vec<(Range<usize>, Vec<usize>)> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        if place.is_empty() || text.get(place.clone()).is_none() {
            continue;
        }
        let whole = statement(text, &blocks, &sentences, place);
        match found.iter_mut().find(|(range, _)| overlap(range, &whole)) {
            Some((range, all)) => {
                *range = range.start.min(whole.start)..range.end.max(whole.end);
                all.push(at);
            }
            None => found.push((whole, vec![at])),
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    let mut parted = Parted { rest: text.to_owned(), statements: Vec::new() };
    for (range, places) in found.iter().rev() {
        parted.rest.replace_range(removed(text, &blocks, range), "");
        let words = text.get(range.clone()).unwrap_or_default().split_whitespace();
        let words = words.collect::<Vec<_>>().join(" ");
        parted.statements.insert(0, Apart { text: plain(&words), places: places.clone() });
    }
    if !parted.statements.is_empty() {
        parted.rest = without_gaps(&parted.rest);
    }
    parted
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The statement that a place stands in. Emphasis is never cut in two.
fn statement(
    text: &str,
    blocks: &[Block],
    sentences: &[Range<usize>],
    place: &Range<usize>,
) -> Range<usize> {
    let Some(block) = blocks.iter().find(|block| overlap(&block.range, place)) else {
        return line(text, place);
    };
    if matches!(block.kind, BlockKind::Code { .. }) {
        return line(text, place);
    }
    let sentence = sentences.iter().find(|one| overlap(one, place));
    sentence.filter(|one| is_balanced(text, one)).unwrap_or(&block.range).clone()
}

fn is_balanced(text: &str, range: &Range<usize>) -> bool {
    let sentence = text.get(range.clone()).unwrap_or_default();
    ["**", "__", "`"].iter().all(|mark| sentence.matches(mark).count().is_multiple_of(2))
}

/// The line around a place, without its end.
fn line(text: &str, place: &Range<usize>) -> Range<usize> {
    let start = text.get(..place.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let tail = text.get(place.end..).unwrap_or_default();
    start..place.end + tail.find('\n').unwrap_or(tail.len())
}

/// What is removed with a statement: if it is all that its block has, also the mark of its item or quotation, and the end
/// of its line. An item with something below it keeps its mark.
fn removed(text: &str, blocks: &[Block], range: &Range<usize>) -> Range<usize> {
    let around = line(text, range);
    let block = blocks.iter().find(|block| overlap(&block.range, range));
    let is_whole = block.is_none_or(|block| {
        let before = text.get(block.range.start.min(range.start)..range.start);
        let behind = text.get(range.end..block.range.end.max(range.end));
        [before, behind].into_iter().flatten().all(|part| part.trim().is_empty())
            || matches!(block.kind, BlockKind::Code { .. } | BlockKind::Row(_))
    });
    if !is_whole {
        return range.clone();
    }
    let end = (around.end + 1).min(text.len());
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(text.get(around.clone()).unwrap_or_default());
    let below = text.get(end..).unwrap_or_default().lines().find(|line| !line.trim().is_empty());
    let has_more = matches!(block, Some(Block { kind: BlockKind::Item(_), .. }))
        && below.is_some_and(|line| indent(line) > own);
    if has_more { range.clone() } else { around.start..end }
}

/// A statement without the marks of its row.
fn plain(statement: &str) -> String {
    statement.trim_matches(['|', ' ']).to_owned()
}

/// Text with at most one empty line in a row outside of code.
fn without_gaps(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        let is_second = lines.last().is_none_or(|last| last.trim().is_empty());
        if in_code || !line.trim().is_empty() || !is_second {
            lines.push(line);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(text: &str, words: &[&str]) -> (String, Vec<String>) {
        let places: Vec<Range<usize>> = words
            .iter()
            .map(|word| text.find(word).map(|at| at..at + word.len()).unwrap())
            .collect();
        let parted = part(text, &places);
        (parted.rest, parted.statements.into_iter().map(|one| one.text).collect())
    }

    #[test]
    fn a_sentence_leaves_its_neighbours_as_they_are() {
        let text = "The disk is full. The queue holds 48213 messages. Pod `web-1` waits.";
        let (rest, apart) = parted(text, &["48213"]);
        assert_eq!(rest, "The disk is full. Pod `web-1` waits.");
        assert_eq!(apart, ["The queue holds 48213 messages."]);
    }

    #[test]
    fn an_item_goes_with_its_mark_unless_something_stands_below_it() {
        let text = "Facts:\n\n- `/var` uses 39G\n- 17 nodes were lost\n- the load is low\n";
        let (rest, apart) = parted(text, &["17"]);
        assert_eq!(rest, "Facts:\n\n- `/var` uses 39G\n- the load is low");
        assert_eq!(apart, ["17 nodes were lost"]);
        let text = "1. 17 nodes were lost\n   - one of them is `db-1`\n2. the load is low";
        let (rest, _) = parted(text, &["17"]);
        assert_eq!(rest, "1. \n   - one of them is `db-1`\n2. the load is low");
    }

    #[test]
    fn rows_and_lines_of_code_go_as_a_whole() {
        let text = "| pod | restarts |\n|---|---|\n| web-1 | 5 |\n| web-2 | 812 |\n\n```\nGET /a 200\nGET /b 503\n```\nEnd.";
        let (rest, apart) = parted(text, &["812", "/b"]);
        assert_eq!(
            rest,
            "| pod | restarts |\n|---|---|\n| web-1 | 5 |\n\n```\nGET /a 200\n```\nEnd."
        );
        assert_eq!(apart, ["web-2 | 812", "GET /b 503"]);
    }

    #[test]
    fn two_places_of_one_statement_are_one_and_emphasis_stays_whole() {
        let text = "**812 pods restarted. 31 are gone.** The load is low.";
        let places = [2..5, 22..24, 900..910];
        let parted = part(text, &places);
        assert_eq!(parted.statements.len(), 1);
        assert_eq!(parted.statements[0].places, [0, 1]);
        assert!(!parted.rest.contains("**"), "{}", parted.rest);
    }

    #[test]
    fn a_text_without_places_stays_as_it_is() {
        let text = "# Cause\n\nThe disk is full.\n\n```\nline   \n\n\nline\n```";
        assert_eq!(part(text, &[]), Parted { rest: text.to_owned(), statements: Vec::new() });
    }
}
