//! The events of the parser, put together to blocks.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::block::{Block, Item, Quote, Span, Style};
use super::table::Table;

/// The most lists around one, and quotations around one, that are shown.
const MAX_DEPTH: usize = 8;

pub(super) struct Reader<'a> {
    source: &'a str,
    blocks: Vec<Block>,
    spans: Vec<Span>,
    /// The next number of each open list.
    lists: Vec<Option<u64>>,
    number: Option<u64>,
    is_heading: bool,
    quotes: usize,
    bold: usize,
    italic: usize,
    struck: usize,
    /// For each open emphasis the signs that stand for themselves; empty for a real one.
    literal: Vec<&'a str>,
    code: Option<String>,
    table: Option<Table>,
    row: Vec<String>,
    /// The address of each open link or image, and where its text begins in `spans`.
    links: Vec<(String, usize)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source,
            blocks: Vec::new(),
            spans: Vec::new(),
            lists: Vec::new(),
            number: None,
            is_heading: false,
            quotes: 0,
            bold: 0,
            italic: 0,
            struck: 0,
            literal: Vec::new(),
            code: None,
            table: None,
            row: Vec::new(),
            links: Vec::new(),
        }
    }

    pub(super) fn blocks(mut self) -> Vec<Block> {
        self.flush();
        self.blocks
    }

    pub(super) fn take(&mut self, event: Event<'_>, place: Range<usize>) {
        match event {
            Event::Start(tag) => self.open(tag, place),
            Event::End(tag) => self.close(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.push(&text, Style::Code),
            Event::SoftBreak | Event::HardBreak => self.text("\n"),
            Event::TaskListMarker(is_done) => self.text(if is_done { "☑ " } else { "☐ " }),
            Event::Rule => self.flush(),
            _ => {}
        }
    }

    fn open(&mut self, tag: Tag<'_>, place: Range<usize>) {
        match tag {
            Tag::Strong => self.open_emphasis(&place, 2),
            Tag::Emphasis => self.open_emphasis(&place, 1),
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.spans.len()));
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                if let Some(Some(next)) = self.lists.last_mut() {
                    self.number = Some(*next);
                    *next = next.saturating_add(1);
                }
            }
            Tag::Heading { .. } => {
                self.flush();
                self.is_heading = true;
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes += 1;
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(Table::default());
            }
            _ => self.flush(),
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong | TagEnd::Emphasis => self.close_emphasis(tag),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::CodeBlock => {
                if let Some(code) = self.code.take() {
                    self.blocks.push(Block::Code(code.trim_end().to_owned()));
                }
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.is_heading = false;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::TableCell => self.close_cell(),
            TagEnd::TableHead | TagEnd::TableRow => self.close_row(),
            TagEnd::Table => self.blocks.extend(self.table.take().map(Block::Table)),
            _ => self.flush(),
        }
    }

    /// Signs of multiplication and of patterns of files emphasize nothing.
    fn open_emphasis(&mut self, place: &Range<usize>, signs: usize) {
        let within = self.source.get(place.clone()).unwrap_or_default();
        let inner = within.get(signs..within.len().saturating_sub(signs)).unwrap_or_default();
        let before = self.source.get(..place.start).and_then(|text| text.chars().next_back());
        let after = self.source.get(place.end..).and_then(|text| text.chars().next());
        let is_path = inner.starts_with('/') || inner.ends_with('/');
        // Such as `__init__`.
        let is_name = within.starts_with("__") && inner.chars().all(|one| is_of_word(Some(one)));
        let is_literal = is_path
            || is_name
            || if signs == 1 {
                !may_stand_before(before) || !may_stand_after(after)
            } else {
                is_of_word(before) && is_of_word(after)
            };
        if is_literal {
            let sign = within.get(..signs).unwrap_or_default();
            self.text(sign);
            self.literal.push(sign);
            return;
        }
        self.literal.push("");
        *(if signs == 1 { &mut self.italic } else { &mut self.bold }) += 1;
    }

    fn close_emphasis(&mut self, tag: TagEnd) {
        match self.literal.pop().unwrap_or_default() {
            "" if tag == TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            "" => self.italic = self.italic.saturating_sub(1),
            sign => self.text(sign),
        }
    }

    fn close_link(&mut self) {
        let Some((address, begin)) = self.links.pop() else { return };
        let shown: String = self.spans.iter().skip(begin).map(|span| span.text.as_str()).collect();
        if !address.is_empty() && shown != address {
            self.text(&format!(" ({address})"));
        }
    }

    fn close_cell(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        let text: String = spans.into_iter().map(|span| span.text).collect();
        self.row.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    fn close_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        let Some(table) = &mut self.table else { return };
        if table.head.is_empty() {
            table.head = row;
        } else {
            table.rows.push(row);
        }
    }

    fn text(&mut self, text: &str) {
        let style = match (self.struck, self.bold, self.italic) {
            (1.., ..) => Style::Struck,
            (_, 1.., _) => Style::Bold,
            (_, _, 1..) => Style::Italic,
            _ => Style::Plain,
        };
        match &mut self.code {
            Some(code) => code.push_str(text),
            None => self.push(text, style),
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        let open = self.links.last().map_or(0, |(_, begin)| *begin);
        let count = self.spans.len();
        match self.spans.last_mut() {
            // A span of text before a link is not joined with the link's.
            Some(last) if last.style == style && style != Style::Code && count > open => {
                last.text.push_str(text);
            }
            _ => self.spans.push(Span { text: text.to_owned(), style }),
        }
    }

    /// Ends the current block.
    fn flush(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if spans.iter().all(|span| span.text.trim().is_empty()) {
            return;
        }
        self.blocks.push(if self.is_heading {
            Block::Heading(spans)
        } else if !self.lists.is_empty() {
            let depth = (self.lists.len() - 1).min(MAX_DEPTH);
            Block::Item(Item { depth, number: self.number.take(), spans })
        } else if self.quotes > 0 {
            Block::Quote(Quote { depth: self.quotes.min(MAX_DEPTH), spans })
        } else {
            Block::Paragraph(spans)
        });
    }
}

fn is_of_word(sign: Option<char>) -> bool {
    sign.is_some_and(|sign| sign.is_ascii_alphanumeric())
}

fn may_stand_before(sign: Option<char>) -> bool {
    sign.is_none_or(|sign| sign.is_whitespace() || "([{\"'*_~|>".contains(sign) || !sign.is_ascii())
}

fn may_stand_after(sign: Option<char>) -> bool {
    sign.is_none_or(|sign| {
        sign.is_whitespace() || ")]}\"'*_~|.,;:!?<".contains(sign) || !sign.is_ascii()
    })
}
