//! Findings as elements of an Adaptive Card: tables as tables, code in a font of equal width, a line for a line.

use serde_json::{Value, json};

use crate::dialect::{
    Dialect, ListItem, MORE, backslashed, defuse, list_item, rows_as_items, spans, unstyled,
};
use crate::markdown::{self, Block, Table};

/// The most columns of a table; more of them are too narrow to read.
const MAX_COLUMNS: usize = 6;
/// What one element has beside its text, in bytes of JSON.
const OVERHEAD: usize = 200;
/// The longest text of one element, in bytes.
const MAX_TEXT: usize = 4_000;

/// Markdown of a model as elements that have at most so many bytes of JSON together.
pub(super) fn elements(text: &str, max_bytes: usize) -> Vec<Value> {
    let mut card = Elements { elements: Vec::new(), left: max_bytes.saturating_sub(OVERHEAD) };
    let mut items: Vec<ListItem> = Vec::new();
    for block in markdown::parse(text) {
        if let Block::Item(item) = &block {
            items.push(list_item(item, &Card));
            continue;
        }
        let fits = card.list(&mut items) && card.block(&block);
        if !fits {
            break;
        }
    }
    let is_whole = card.list(&mut items) && !card.is_full();
    if !is_whole {
        card.elements.push(text_block(MORE));
    }
    card.elements
}

struct Elements {
    elements: Vec<Value>,
    /// Bytes of JSON; 0 once something was left out.
    left: usize,
}

impl Elements {
    const fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Adds an element; false if it does not fit, after which nothing does.
    fn add(&mut self, element: Value) -> bool {
        let size = element.to_string().len() + 1;
        if size > self.left {
            self.left = 0;
            return false;
        }
        self.left -= size;
        self.elements.push(element);
        true
    }

    fn block(&mut self, block: &Block) -> bool {
        match block {
            Block::Heading(all) => {
                let mut heading = text_block(&cut(&unstyled(all, &Card)));
                if let Some(members) = heading.as_object_mut() {
                    members.insert("weight".to_owned(), json!("Bolder"));
                }
                self.add(heading)
            }
            Block::Paragraph(all) => self.text(&spans(all, &Card)),
            Block::Quote(quote) => {
                let text = Card.quote(&spans(&quote.spans, &Card), quote.depth);
                self.text(&text)
            }
            Block::Code(text) => self.code(text),
            Block::Table(table) => self.table(table),
            Block::Item(_) => true,
        }
    }

    /// Adds a text; one that is too long is cut, and nothing is added behind it.
    fn text(&mut self, text: &str) -> bool {
        let shown = cut(text);
        let is_whole = shown == text;
        let is_added = self.add(text_block(&shown));
        if !is_whole {
            self.left = 0;
        }
        is_added && is_whole
    }

    fn list(&mut self, items: &mut Vec<ListItem>) -> bool {
        let items = std::mem::take(items);
        // A long list is cut between its entries.
        items.chunks(10).all(|some| self.text(&Card.list(some)))
    }

    /// Line by line, because a break of a line is none in a text.
    fn code(&mut self, text: &str) -> bool {
        let mut spacing = "Small";
        text.lines().all(|line| {
            let element = json!({
                "type": "TextBlock", "text": cut(&code_line(line)), "wrap": true, "fontType": "Monospace",
                "size": "Small", "spacing": std::mem::replace(&mut spacing, "None"),
            });
            self.add(element)
        })
    }

    fn table(&mut self, table: &Table) -> bool {
        if table.head.len() > MAX_COLUMNS {
            return self.list(&mut rows_as_items(table, &Card));
        }
        let head = row(&table.head, "Bolder");
        let mut size = head.to_string().len() + OVERHEAD;
        let mut rows = vec![head];
        let mut is_whole = true;
        for cells in &table.rows {
            let next = row(cells, "Default");
            size += next.to_string().len() + 1;
            if size > self.left {
                is_whole = false;
                break;
            }
            rows.push(next);
        }
        let columns = vec![json!({ "width": 1 }); table.head.len()];
        let element = json!({
            "type": "Table", "columns": columns, "rows": rows, "firstRowAsHeader": true,
        });
        let is_added = self.add(element);
        if !is_whole {
            self.left = 0;
        }
        is_added && is_whole
    }
}

fn row(cells: &[String], weight: &str) -> Value {
    let cells = cells.iter().map(|cell| {
        let text = json!({
            "type": "TextBlock", "text": cut(&Card.escape(cell)), "wrap": true, "weight": weight,
        });
        json!({ "type": "TableCell", "items": [text] })
    });
    json!({ "type": "TableRow", "cells": cells.collect::<Vec<_>>() })
}

pub(super) fn text_block(text: &str) -> Value {
    json!({ "type": "TextBlock", "text": text, "wrap": true })
}

/// Spaces at the beginning of a line are kept, and an empty line has a height.
fn code_line(line: &str) -> String {
    let inner = line.trim_start();
    let indent: usize =
        line[..line.len() - inner.len()].chars().map(|one| if one == '\t' { 4 } else { 1 }).sum();
    let spaces = "\u{a0}".repeat(indent.min(60));
    let text = Card.escape(inner);
    if text.is_empty() { "\u{a0}".to_owned() } else { format!("{spaces}{text}") }
}

/// A text of an element, cut between characters and not behind a backslash.
fn cut(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(MAX_TEXT)];
    format!("{}…", kept.trim_end_matches('\\'))
}

/// The Markdown of Adaptive Cards: bold text, lists and links. A card without `entities` mentions nobody.
pub(super) struct Card;

impl Dialect for Card {
    fn escape(&self, text: &str) -> String {
        // `<at>` is the markup of mentions, and a backslash does not escape it.
        backslashed(&defuse(text, &['<']), "\\*_[]()#`~")
    }

    fn bold(&self, escaped: &str) -> String {
        format!("**{escaped}**")
    }

    fn italic(&self, escaped: &str) -> String {
        format!("_{escaped}_")
    }

    fn code(&self, text: &str) -> String {
        self.escape(text)
    }

    fn code_block(&self, text: &str) -> String {
        text.lines().map(code_line).collect::<Vec<_>>().join(self.line_break())
    }

    fn link(&self, label: &str, url: &str) -> String {
        format!("[{}]({url})", self.escape(label))
    }

    /// A card knows no quotations.
    fn quote(&self, escaped: &str, depth: usize) -> String {
        let mark = "│ ".repeat(depth);
        let lines = escaped.split(self.line_break()).map(|line| format!("{mark}{line}"));
        lines.collect::<Vec<_>>().join(self.line_break())
    }

    fn line_break(&self) -> &'static str {
        "\n\n"
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dialect::tests::markdown;

    fn texts(elements: &[Value]) -> Vec<&str> {
        elements.iter().filter_map(|one| one["text"].as_str()).collect()
    }

    #[test]
    fn a_table_is_a_table_and_code_has_a_line_for_each_line() {
        let all =
            elements("|Pod|Why|\n|---|---|\n|`web_1`|2*3*4|\n\n```\nif x:\n    y()\n```", 9_000);
        let cell = |row: usize, cell: usize| &all[0]["rows"][row]["cells"][cell]["items"][0];
        assert_eq!(all[0]["type"], "Table");
        assert_eq!((&cell(0, 0)["text"], &cell(0, 0)["weight"]), (&json!("Pod"), &json!("Bolder")));
        assert_eq!(cell(1, 0)["text"], "web\\_1");
        assert_eq!(cell(1, 1)["text"], "2\\*3\\*4");
        assert_eq!(texts(&all[1..]), ["if x:", "\u{a0}\u{a0}\u{a0}\u{a0}y\\(\\)"]);
        assert_eq!(all[2]["fontType"], "Monospace");
        assert_eq!((&all[1]["spacing"], &all[2]["spacing"]), (&json!("Small"), &json!("None")));
        let wide = "|a|b|c|d|e|f|g|\n|-|-|-|-|-|-|-|\n|1|2|3|4|5|6|7|";
        assert!(texts(&elements(wide, 9_000))[0].starts_with("• **a:** 1 · **b:** 2"));
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_named() {
        let table = format!("|a|b|\n|-|-|\n{}", "|x|y|\n".repeat(500));
        let code = format!("```\n{}```", "x = 1\n".repeat(900));
        for long in [table, code, "word ".repeat(9_000), "* one\n".repeat(4_000)] {
            let all = elements(&long, 9_000);
            assert!(json!(all).to_string().len() <= 9_000 && all.len() > 1, "{}", all.len());
            assert_eq!(texts(&all).last(), Some(&MORE));
        }
        assert!(!texts(&elements("short", 9_000)).contains(&MORE));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

        #[test]
        fn any_markdown_fits_a_card(text in markdown(), max in 1_000_usize..18_000) {
            let all = elements(&text, max);
            prop_assert!(json!(all).to_string().len() <= max);
            for one in &all {
                let is_text = one["text"].as_str().is_some_and(|text| !text.is_empty());
                prop_assert!(is_text || one["type"] == "Table", "{one}");
                prop_assert!(one["text"].as_str().is_none_or(|text| !text.contains("<!")), "{one}");
            }
        }
    }
}
