//! A text as statements, each with its citations, what it is meant as, and what stands around it.

use std::ops::Range;

use super::citation::{Citation, citations};
use super::command::is_command;
use super::content::{Claim, Content, MOST_CLAIMS};
use super::markdown::{Block, BlockKind, blocks};
use super::phrase::{bounded, clause_at, opening, precision, sentences};
use super::spans::{code_claim, prose_claims, quoted_claim};
use super::stance::{
    heads_advice, is_denying, is_imperative, is_supposing, is_supposing_surely, rates_confidence,
};
use crate::quantity::Precision;

/// A sentence, an item, a row or a line of code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Statement {
    pub(crate) text: String,
    /// Where it begins in the document.
    pub(crate) start: usize,
    /// The calls that it rests on, in the sentence, else near it.
    pub(crate) calls: Vec<u32>,
    /// Whether it cites them itself.
    pub(crate) cites: bool,
    /// Headings, the sentence before, and the lead of its list.
    pub(crate) nearby: String,
    /// The headings of the columns, if it is a row of a table.
    pub(crate) columns: Vec<String>,
}

/// A parsed text.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) statements: Vec<Statement>,
    pub(crate) claims: Vec<Claim>,
}

/// Languages of code blocks that hold what to run, not what was seen.
const COMMAND_LANGUAGES: &[&str] = &[
    "bash",
    "sh",
    "shell",
    "zsh",
    "powershell",
    "sql",
    "promql",
    "python",
    "hcl",
    "diff",
    "dockerfile",
];
impl Document {
    pub(crate) fn parse(text: &str) -> Self {
        let mut reader = Reader {
            text,
            document: Self::default(),
            headings: Vec::new(),
            leads: Vec::new(),
            near: Vec::new(),
            columns: Vec::new(),
            cites: false,
        };
        for block in blocks(text) {
            reader.block(&block);
        }
        reader.document.claims.sort_by_key(|claim| (claim.range.start, claim.range.end));
        reader.document.claims.truncate(MOST_CLAIMS);
        reader.document
    }
}

struct Heading {
    level: usize,
    text: String,
    is_advice: bool,
}

struct Reader<'t> {
    text: &'t str,
    document: Document,
    headings: Vec<Heading>,
    /// The paragraph that a list belongs to, and the items around an inner list.
    leads: Vec<String>,
    /// The calls cited last under the same heading.
    near: Vec<u32>,
    columns: Vec<String>,
    cites: bool,
}

impl Reader<'_> {
    fn block(&mut self, block: &Block) {
        let text = self.text.get(block.range.clone()).unwrap_or_default();
        match &block.kind {
            BlockKind::Heading(level) => self.heading(usize::from(*level), text),
            BlockKind::Code { language } => self.code(block, language),
            BlockKind::Prose | BlockKind::Item(_) | BlockKind::Row(_) => {
                let depth = if let BlockKind::Item(depth) = block.kind { depth } else { 0 };
                self.bold_heading(block, depth);
                self.leads.truncate(depth);
                self.prose(block, text);
                self.leads.resize(depth, String::new());
                let leads =
                    depth > 0 || text.trim_end().trim_end_matches(['*', '_']).ends_with(':');
                self.leads.push(if leads { opening(text).to_owned() } else { String::new() });
            }
        }
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.headings.retain(|heading| heading.level < level);
        let is_advice = heads_advice(text);
        self.headings.push(Heading { level, text: opening(text).to_owned(), is_advice });
        self.near.clear();
        self.leads.clear();
        self.cite_heading(text);
    }

    /// A citation in a heading holds for what stands under it.
    fn cite_heading(&mut self, text: &str) {
        self.near = citations(text).into_iter().map(|citation| citation.call).collect();
    }

    /// A paragraph in bold, or an item that begins in bold, is a heading of what follows.
    fn bold_heading(&mut self, block: &Block, depth: usize) {
        const BELOW_HEADINGS: usize = 10;
        let level = BELOW_HEADINGS + depth;
        self.headings.retain(|heading| heading.level < level || heading.level < BELOW_HEADINGS);
        let text = self.text.get(block.range.clone()).unwrap_or_default();
        let bold = block.bold.clone().filter(|bold| bold.start == block.range.start);
        let bold = bold.and_then(|bold| self.text.get(bold)).unwrap_or_default();
        let title = if bold.is_empty() && text.trim_end().ends_with(':') && text.len() < 80 {
            text
        } else {
            bold
        };
        if !title.is_empty() && heads_advice(title) {
            self.headings.push(Heading { level, text: opening(title).to_owned(), is_advice: true });
        } else if !bold.is_empty() && bold.len() + 2 >= text.trim_end().len() {
            self.headings.push(Heading {
                level,
                text: opening(title).to_owned(),
                is_advice: false,
            });
        }
    }

    fn is_advice(&self) -> bool {
        self.headings.iter().any(|heading| heading.is_advice)
    }

    fn nearby(&self, before: &str) -> String {
        let headings: Vec<&str> =
            self.headings.iter().map(|heading| heading.text.as_str()).collect();
        format!("{}\n{}\n{before}", headings.join("\n"), self.leads.join("\n"))
    }

    fn code(&mut self, block: &Block, language: &str) {
        if self.is_advice() || COMMAND_LANGUAGES.contains(&language) {
            return;
        }
        let mut start = block.range.start;
        for line in self.text.get(block.range.clone()).unwrap_or_default().split_inclusive('\n') {
            let trimmed = line.trim();
            let begin = start + (line.len() - line.trim_start().len());
            start += line.len();
            if trimmed.len() < 4
                || is_command(trimmed)
                || trimmed.starts_with("```")
                || trimmed.trim_matches(['.', '…', '-', ' ']).is_empty()
            {
                continue;
            }
            let found = citations(trimmed);
            let own: Vec<u32> = found.iter().map(|citation| citation.call).collect();
            let calls = if own.is_empty() { self.near.clone() } else { own };
            let statement = self.statement(trimmed, begin, calls, "");
            self.cite(&found, begin, statement);
            let content = Content::Quotation(trimmed.to_owned());
            self.claim(begin..begin + trimmed.len(), content, statement, Precision::AsWritten);
        }
    }

    fn statement(&mut self, text: &str, start: usize, calls: Vec<u32>, before: &str) -> usize {
        let nearby = self.nearby(before);
        let columns = self.columns.clone();
        self.document.statements.push(Statement {
            cites: self.cites,
            columns,
            text: text.to_owned(),
            start,
            calls,
            nearby,
        });
        self.document.statements.len() - 1
    }

    fn claim(
        &mut self,
        range: Range<usize>,
        content: Content,
        statement: usize,
        precision: Precision,
    ) {
        if self.document.claims.len() < MOST_CLAIMS * 2 {
            self.document.claims.push(Claim { range, content, statement, precision });
        }
    }

    fn cite(&mut self, found: &[Citation], start: usize, statement: usize) {
        for citation in found {
            let content = Content::Citation { call: citation.call, line: citation.line };
            let range = citation.range.start + start..citation.range.end + start;
            self.claim(range, content, statement, Precision::AsWritten);
        }
    }

    fn prose(&mut self, block: &Block, text: &str) {
        let start = block.range.start;
        let inside = |range: &Range<usize>| {
            range.start.saturating_sub(start)..range.end.saturating_sub(start)
        };
        let code: Vec<Range<usize>> = block.code.iter().map(inside).collect();
        let mut masked = text.to_owned();
        for range in code.iter().cloned().chain(block.hidden.iter().map(inside)) {
            mask(&mut masked, range);
        }
        let quotes = quotations(&masked, text);
        for range in &quotes {
            mask(&mut masked, range.clone());
        }
        let parts = match &block.kind {
            BlockKind::Row(_) => std::iter::once(0..text.len()).collect(),
            _ => sentences(&masked),
        };
        let parts = bounded(&masked, parts);
        let in_block: Vec<u32> =
            citations(&masked).into_iter().map(|citation| citation.call).collect();
        let mut before = String::new();
        self.columns = self.columns(block);
        for part in parts {
            let sentence = Sentence {
                text,
                masked: &masked,
                range: part.clone(),
                code: &code,
                quotes: &quotes,
            };
            self.sentence(&sentence, start, &in_block, &before);
            text.get(part).unwrap_or_default().clone_into(&mut before);
        }
        if !in_block.is_empty() {
            self.near = in_block;
        }
    }

    fn columns(&self, block: &Block) -> Vec<String> {
        let BlockKind::Row(cells) = &block.kind else { return Vec::new() };
        let heading = |cell: &super::markdown::Cell| {
            self.text.get(cell.heading.clone()).unwrap_or_default().to_owned()
        };
        cells.iter().map(heading).collect()
    }

    fn sentence(&mut self, sentence: &Sentence<'_>, start: usize, in_block: &[u32], before: &str) {
        if self.document.claims.len() >= MOST_CLAIMS * 2 {
            return;
        }
        let masked = sentence.masked.get(sentence.range.clone()).unwrap_or_default();
        let text = sentence.text.get(sentence.range.clone()).unwrap_or_default();
        let found = citations(masked);
        let mut calls: Vec<u32> = found.iter().map(|citation| citation.call).collect();
        let cites = !calls.is_empty();
        self.cites = cites;
        self.give_to_last(masked, &found);
        if calls.is_empty() {
            calls = if in_block.is_empty() { self.near.clone() } else { in_block.to_vec() };
        }
        let begin = start + sentence.range.start;
        let statement = self.statement(text, begin, calls, before);
        self.cite(&found, begin, statement);
        let advises = self.is_advice() || is_imperative(masked);
        if !cites && (advises || is_supposing(masked))
            || rates_confidence(masked) && !cites && masked.contains('%')
        {
            return;
        }
        let mut prose = masked.to_owned();
        for citation in &found {
            mask(&mut prose, citation.range.clone());
        }
        let offset = sentence.range.start;
        let mut spans: Vec<(Range<usize>, Option<Content>)> = Vec::new();
        for code in sentence.inside(sentence.code) {
            spans.push((code.clone(), sentence.text.get(code).and_then(code_claim)));
        }
        for quote in sentence.inside(sentence.quotes) {
            spans.push((quote.clone(), sentence.text.get(quote).and_then(quoted_claim)));
        }
        let mut claims: Vec<(Range<usize>, Content, Precision)> = prose_claims(&prose);
        claims.extend(spans.into_iter().filter_map(|(range, content)| {
            let place = range.start - offset..range.end - offset;
            Some((place.clone(), content?, precision(prose.get(..place.start).unwrap_or_default())))
        }));
        for (range, content, precision) in claims {
            if is_meant(&prose, &range, &content, cites) {
                self.claim(range.start + begin..range.end + begin, content, statement, precision);
            }
        }
    }

    /// A citation behind the full stop belongs to the sentence that ended there.
    fn give_to_last(&mut self, masked: &str, found: &[Citation]) {
        let Some(first) = found.first().filter(|first| {
            masked.get(..first.range.start).is_some_and(|head| head.trim().is_empty())
        }) else {
            return;
        };
        let behind =
            masked.get(first.range.end..).unwrap_or_default().trim_start_matches([' ', '.']);
        let ends = behind.is_empty() || behind.chars().next().is_some_and(char::is_uppercase);
        let Some(last) = self.document.statements.last_mut().filter(|_| ends) else { return };
        if last.text.trim_end().ends_with(['.', '!', '?']) {
            last.calls.push(first.call);
            last.cites = true;
        }
    }
}

/// A sentence within its block.
struct Sentence<'s> {
    text: &'s str,
    masked: &'s str,
    range: Range<usize>,
    code: &'s [Range<usize>],
    quotes: &'s [Range<usize>],
}

impl Sentence<'_> {
    fn inside<'r>(
        &self,
        ranges: &'r [Range<usize>],
    ) -> impl Iterator<Item = Range<usize>> + use<'r> {
        let own = self.range.clone();
        ranges.iter().filter(move |range| own.start <= range.start && range.end <= own.end).cloned()
    }
}

/// Whether a claim is meant as seen: not denied, and not supposed in its clause.
fn is_meant(prose: &str, range: &Range<usize>, content: &Content, cites: bool) -> bool {
    let clause = clause_at(prose, range.start);
    let before = prose.get(clause.start..range.start).unwrap_or_default();
    let is_supposition = if cites { is_supposing_surely } else { is_supposing };
    let supposed = is_supposition(prose.get(clause).unwrap_or_default())
        && !matches!(content, Content::Quotation(_));
    let denied = is_denying(before) && matches!(content, Content::Name(_));
    !supposed && !denied
}

/// Replaces a range by as many spaces.
fn mask(text: &mut String, range: Range<usize>) {
    if text.get(range.clone()).is_some() {
        text.replace_range(range.clone(), &" ".repeat(range.len()));
    }
}

/// Texts between quotation marks, without the marks.
fn quotations(masked: &str, text: &str) -> Vec<Range<usize>> {
    const MARKS: [(char, char); 3] = [('"', '"'), ('“', '”'), ('„', '“')];
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((at, open)) = masked.get(from..).and_then(|rest| {
        rest.char_indices()
            .find(|(_, c)| MARKS.iter().any(|mark| mark.0 == *c))
            .map(|(at, c)| (at + from, c))
    }) {
        let start = at + open.len_utf8();
        let close = MARKS.iter().find(|mark| mark.0 == open).map_or('"', |mark| mark.1);
        let end = masked
            .get(start..)
            .and_then(|rest| rest.find([close, '\n']))
            .map(|length| start + length);
        match end.filter(|end| text.get(*end..).is_some_and(|rest| rest.starts_with(close))) {
            Some(end) => {
                found.push(start..end);
                from = end + close.len_utf8();
            }
            None => from = start,
        }
    }
    found
}
