//! The blocks of a Markdown text: paragraphs, items, rows of tables, code, each with its place.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A block of text without blocks inside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// In bytes of the whole text.
    pub(crate) range: Range<usize>,
    /// Code spans, without their marks.
    pub(crate) code: Vec<Range<usize>>,
    /// What is no text: addresses of links, HTML.
    pub(crate) hidden: Vec<Range<usize>>,
    /// Bold text that the block begins with.
    pub(crate) bold: Option<Range<usize>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BlockKind {
    Heading(u8),
    Prose,
    /// An item of a list, and how deep the list stands.
    Item(usize),
    /// A row of a table, with each cell and the place of its column's heading.
    Row(Vec<Cell>),
    Code {
        language: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) range: Range<usize>,
    pub(crate) heading: Range<usize>,
}

/// The blocks of a text, in order.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.event(text, event, range);
    }
    reader.flush(BlockKind::Prose);
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    run: Option<Range<usize>>,
    code: Vec<Range<usize>>,
    hidden: Vec<Range<usize>>,
    bold: Option<Range<usize>>,
    lists: usize,
    language: Option<String>,
    headings: Vec<Range<usize>>,
    cells: Vec<Range<usize>>,
}

impl Reader {
    fn event(&mut self, text: &str, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                // The text of a link is read; its address is not.
                let address = text.get(range.clone()).and_then(|link| link.rfind("]("));
                self.hidden.extend(address.map(|at| range.start + at..range.end));
                self.extend(&range);
            }
            Event::Start(tag) => self.start(&tag, range),
            Event::End(end) => self.end(end),
            Event::Code(_) => {
                let marks = text
                    .get(range.clone())
                    .map_or(0, |code| code.bytes().take_while(|byte| *byte == b'`').count());
                self.extend(&range);
                self.code.push(
                    range.start + marks..range.end.saturating_sub(marks).max(range.start + marks),
                );
            }
            Event::Text(_) | Event::TaskListMarker(_) => self.extend(&range),
            Event::InlineHtml(_) | Event::Html(_) => {
                self.extend(&range);
                self.hidden.push(range);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Strong => {
                if self.run.is_none() {
                    self.bold = Some(range.clone());
                }
                self.extend(&range);
            }
            Tag::Emphasis | Tag::Strikethrough => self.extend(&range),
            Tag::CodeBlock(kind) => {
                self.flush(self.kind());
                self.language = Some(match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split_whitespace().next().unwrap_or_default().to_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                });
            }
            Tag::List(_) => {
                self.flush(self.kind());
                self.lists += 1;
            }
            Tag::TableHead | Tag::TableRow => self.cells.clear(),
            Tag::TableCell => self.cells.push(range),
            _ => self.flush(self.kind()),
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Strong
            | TagEnd::Emphasis
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::TableCell => {}
            TagEnd::Heading(level) => self.flush(BlockKind::Heading(level as u8)),
            TagEnd::CodeBlock => {
                let language = self.language.take().unwrap_or_default();
                self.flush(BlockKind::Code { language });
            }
            TagEnd::List(_) => {
                self.flush(self.kind());
                self.lists = self.lists.saturating_sub(1);
            }
            TagEnd::TableHead => {
                self.headings = std::mem::take(&mut self.cells);
                self.reset();
            }
            TagEnd::TableRow => {
                let none = 0..0;
                let heading = |at: usize| self.headings.get(at).unwrap_or(&none).clone();
                let cells = self
                    .cells
                    .iter()
                    .enumerate()
                    .map(|(at, range)| Cell { range: range.clone(), heading: heading(at) });
                let kind = BlockKind::Row(cells.collect());
                self.flush(kind);
            }
            _ => self.flush(self.kind()),
        }
    }

    fn kind(&self) -> BlockKind {
        if self.lists > 0 { BlockKind::Item(self.lists) } else { BlockKind::Prose }
    }

    fn extend(&mut self, range: &Range<usize>) {
        let run = self.run.get_or_insert_with(|| range.clone());
        run.start = run.start.min(range.start);
        run.end = run.end.max(range.end);
    }

    fn flush(&mut self, kind: BlockKind) {
        if let Some(range) = self.run.take() {
            let (code, hidden) = (std::mem::take(&mut self.code), std::mem::take(&mut self.hidden));
            self.blocks.push(Block { kind, range, code, hidden, bold: self.bold.take() });
        }
    }

    fn reset(&mut self) {
        self.run = None;
        self.code.clear();
        self.hidden.clear();
        self.bold = None;
    }
}
