//! The Markdown of models as blocks of text, which each channel writes in its own markup.
//!
//! Nothing of it can act: HTML is text, an image is its description, and a link shows its address.

mod block;
mod control;
mod reader;
mod table;

use pulldown_cmark::{Options, Parser};

pub(crate) use self::block::{Block, Item, Quote, Span, Style};
pub(crate) use self::table::Table;

/// Reads Markdown. Colours of terminals and other control characters are left out.
pub(crate) fn parse(markdown: &str) -> Vec<Block> {
    let markdown = control::removed(markdown);
    let with = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader = reader::Reader::new(&markdown);
    for (event, place) in Parser::new_ext(&markdown, with).into_offset_iter() {
        reader.take(event, place);
    }
    reader.blocks()
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
        let span = |text: &str, style| Span { text: text.to_owned(), style };
        let item =
            |depth, number, text| Block::Item(Item { depth, number, spans: vec![plain(text)] });
        let expected = [
            Block::Heading(vec![plain("What "), span("happened", Style::Bold)]),
            Block::Paragraph(vec![
                plain("The "),
                span("disk", Style::Code),
                plain("\nis "),
                span("full", Style::Italic),
                plain("."),
            ]),
            item(0, Some(1), "one"),
            item(1, None, "inner"),
            item(0, Some(2), "two"),
            Block::Code("df -h".to_owned()),
        ];
        assert_eq!(parse(markdown), expected);
    }

    fn text_of(markdown: &str) -> String {
        let mut text = String::new();
        for block in parse(markdown) {
            let (Block::Paragraph(spans) | Block::Heading(spans)) = block else {
                panic!("{block:?}")
            };
            text.extend(spans.into_iter().map(|span| span.text));
        }
        text
    }

    #[test]
    fn links_images_and_html_are_text() {
        let markdown = "see [the docs](https://evil.example) ![x](http://a/p.png) <b>now</b> <https://b.example>";
        let expected =
            "see the docs (https://evil.example) x (http://a/p.png) <b>now</b> https://b.example";
        assert_eq!(text_of(markdown), expected);
    }

    #[test]
    fn products_paths_patterns_and_names_keep_their_signs() {
        for text in [
            "2*3*4 = 24",
            "2**3**4",
            "/var/*/log/*/x",
            "**/node_modules/** and *.log",
            "snake_case_names and __init__.py of a_b_c",
            "0 * * * *",
            "a ~ b",
        ] {
            assert_eq!(text_of(text), text);
        }
        for (text, shown) in [
            ("*word*, (*word*) and _word_", "word, (word) and word"),
            ("**web-1**/**web-2**", "web-1/web-2"),
            ("磁盘**已满**了", "磁盘已满了"),
            ("~~gone~~", "gone"),
        ] {
            assert_eq!(text_of(text), shown);
        }
    }

    #[test]
    fn quotations_have_a_depth_and_tasks_a_mark() {
        let quote = |depth, text| Block::Quote(Quote { depth, spans: vec![plain(text)] });
        assert_eq!(
            parse("> one\n>\n> > two\n>\n> three"),
            [quote(1, "one"), quote(2, "two"), quote(1, "three")]
        );
        let item = |text| Block::Item(Item { depth: 0, number: None, spans: vec![plain(text)] });
        assert_eq!(parse("- [x] done\n- [ ] open"), [item("☑ done"), item("☐ open")]);
        assert_eq!(parse("one\n\n---\n\ntwo").len(), 2, "a line between is none of the text");
    }

    #[test]
    fn colours_of_terminals_are_left_out() {
        assert_eq!(text_of("\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7}x\r\nnext"), "red x\nnext");
    }
}
