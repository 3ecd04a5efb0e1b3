//! The Markdown of models as blocks of text, which each channel writes in its own markup.
//!
//! Nothing of it can act: HTML is text, an image is its description, and a link shows its address.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Heading(Vec<Span>),
    Paragraph(Vec<Span>),
    Item(Item),
    Code(String),
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// How many lists are around its own.
    pub(crate) depth: usize,
    /// Its number in a list with numbers; none also for the second paragraph of an entry.
    pub(crate) number: Option<u64>,
    pub(crate) spans: Vec<Span>,
}

/// A part of a line with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Code,
}

/// Reads Markdown.
pub(crate) fn parse(markdown: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new(markdown) {
        reader.take(event);
    }
    reader.flush();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    spans: Vec<Span>,
    /// The next number of each open list.
    lists: Vec<Option<u64>>,
    number: Option<u64>,
    is_heading: bool,
    bold: usize,
    code: Option<String>,
    /// The address of each open link or image, and where its text begins in `spans`.
    links: Vec<(String, usize)>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.push(&text, Style::Code),
            Event::SoftBreak | Event::HardBreak => self.text("\n"),
            Event::Rule => self.flush(),
            _ => {}
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.bold += 1,
            Tag::Emphasis | Tag::Strikethrough => {}
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
                    *next += 1;
                }
            }
            Tag::Heading { .. } => {
                self.flush();
                self.is_heading = true;
            }
            _ => self.flush(),
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::Emphasis | TagEnd::Strikethrough => {}
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
            _ => self.flush(),
        }
    }

    fn close_link(&mut self) {
        let Some((address, begin)) = self.links.pop() else { return };
        let shown: String = self.spans.iter().skip(begin).map(|span| span.text.as_str()).collect();
        if !address.is_empty() && shown != address {
            self.text(&format!(" ({address})"));
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.push_str(text),
            None => self.push(text, if self.bold > 0 { Style::Bold } else { Style::Plain }),
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
        } else if self.lists.is_empty() {
            Block::Paragraph(spans)
        } else {
            Block::Item(Item { depth: self.lists.len() - 1, number: self.number.take(), spans })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Span {
        Span { text: text.to_owned(), style: Style::Plain }
    }

    #[test]
    fn headings_lists_and_code_become_blocks() {
        let markdown = "## What **happened**\nThe `disk`\nis *full*.\n\n1. one\n   * inner\n2. two\n\n```sh\ndf -h\n```";
        let bold = Span { text: "happened".to_owned(), style: Style::Bold };
        let code = Span { text: "disk".to_owned(), style: Style::Code };
        let item =
            |depth, number, text| Block::Item(Item { depth, number, spans: vec![plain(text)] });
        let expected = [
            Block::Heading(vec![plain("What "), bold]),
            Block::Paragraph(vec![plain("The "), code, plain("\nis full.")]),
            item(0, Some(1), "one"),
            item(1, None, "inner"),
            item(0, Some(2), "two"),
            Block::Code("df -h".to_owned()),
        ];
        assert_eq!(parse(markdown), expected);
    }

    #[test]
    fn links_images_and_html_are_text() {
        let markdown = "see [the docs](https://evil.example) ![x](http://a/p.png) <b>now</b> <https://b.example>";
        let [Block::Paragraph(spans)] = &parse(markdown)[..] else { panic!("one paragraph") };
        let text: String = spans.iter().map(|span| span.text.as_str()).collect();
        let expected =
            "see the docs (https://evil.example) x (http://a/p.png) <b>now</b> https://b.example";
        assert_eq!(text, expected);
    }
}
