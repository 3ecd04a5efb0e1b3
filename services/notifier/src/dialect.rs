//! Writes reports in the markup of a channel, and no longer than the channel accepts.

use crate::markdown::{self, Block, Item, Quote, Span, Style, Table};
use crate::report::{Report, Weight};

/// The end of findings that were cut.
pub(crate) const MORE: &str = "… (more in the session)";
/// Follows a character so that what comes after is no mention; it has no width.
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// The markup of a channel.
pub(crate) trait Dialect: Sync {
    /// Text from outside, so that the channel shows it as it is: it formats, mentions and embeds nothing.
    fn escape(&self, text: &str) -> String;

    fn bold(&self, escaped: &str) -> String;

    fn italic(&self, escaped: &str) -> String {
        escaped.to_owned()
    }

    fn struck(&self, escaped: &str) -> String {
        escaped.to_owned()
    }

    fn code(&self, text: &str) -> String;

    fn code_block(&self, text: &str) -> String;

    fn link(&self, label: &str, url: &str) -> String;

    fn paragraph(&self, escaped: &str) -> String {
        escaped.to_owned()
    }

    /// A quotation; `depth` is 1 for one that is in no other.
    fn quote(&self, escaped: &str, depth: usize) -> String {
        let mark = "> ".repeat(depth);
        let lines = escaped.split('\n').map(|line| format!("{mark}{line}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// In columns where it is narrow, else an entry of a list for each row.
    fn table(&self, table: &Table) -> String {
        match table.aligned() {
            Some(text) => self.code_block(&text),
            None => self.list(&rows_as_items(table, self)),
        }
    }

    /// How long a text is by the measure of the channel's limit.
    fn length(&self, text: &str) -> usize {
        text.len()
    }

    /// Adjacent entries of a list.
    fn list(&self, items: &[ListItem]) -> String {
        let lines = items.iter().map(|item| {
            let indent = "  ".repeat(item.depth);
            let marker = item.number.map_or("•".to_owned(), |number| format!("{number}."));
            format!("{indent}{marker} {}", item.escaped)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn line_break(&self) -> &'static str {
        "\n"
    }

    /// Between paragraphs.
    fn separator(&self) -> &'static str {
        "\n\n"
    }
}

/// An entry of a list, its text escaped.
pub(crate) struct ListItem {
    pub(crate) depth: usize,
    pub(crate) number: Option<u64>,
    pub(crate) escaped: String,
}

/// Each row of a table as an entry, its cells behind the names of their columns.
pub(crate) fn rows_as_items<D: Dialect + ?Sized>(table: &Table, dialect: &D) -> Vec<ListItem> {
    let rows = table.described().map(|cells| {
        let cells = cells.into_iter().map(|(name, cell)| match name {
            "" => dialect.escape(cell),
            name => format!(
                "{} {}",
                dialect.bold(&dialect.escape(&format!("{name}:"))),
                dialect.escape(cell)
            ),
        });
        ListItem { depth: 0, number: None, escaped: cells.collect::<Vec<_>>().join(" · ") }
    });
    rows.collect()
}

/// The report as one text of at most so many bytes: the findings are cut.
pub(crate) fn render(report: &Report, dialect: &impl Dialect, max_bytes: usize) -> String {
    let (head, foot) = (head(report, dialect), foot(report, dialect));
    let fixed: usize = head.iter().chain(&foot).map(|part| part.len() + 8).sum();
    let findings = report.findings.as_deref();
    let findings = findings.map(|text| fit(text, dialect, max_bytes.saturating_sub(fixed)));
    let parts: Vec<String> = head.into_iter().chain(findings).chain(foot).collect();
    parts.join(dialect.separator())
}

/// Markdown of a model in at most so many bytes, or what else the dialect counts.
pub(crate) fn fit(text: &str, dialect: &impl Dialect, max: usize) -> String {
    let whole = blocks(&markdown::parse(text), dialect);
    if dialect.length(&whole) <= max {
        return whole;
    }
    let more = dialect.paragraph(MORE);
    let budget = max.saturating_sub(dialect.length(&more) + dialect.length(dialect.separator()));
    // Markup is longer than its text, and only what is parsed anew is well formed. A character has four bytes at most.
    let mut keep = text.len().min(budget.saturating_mul(4));
    loop {
        let cut = blocks(&markdown::parse(&text[..text.floor_char_boundary(keep)]), dialect);
        if dialect.length(&cut) <= budget || keep == 0 {
            return format!("{cut}{}{more}", dialect.separator());
        }
        keep = keep * 7 / 8;
    }
}

/// Lets nothing mention: the characters are followed by one without width.
pub(crate) fn defuse(text: &str, characters: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        out.push(character);
        if characters.contains(&character) {
            out.push(ZERO_WIDTH_SPACE);
        }
    }
    out
}

/// Puts a backslash before each of the characters.
pub(crate) fn backslashed(text: &str, characters: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if characters.contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// The most of a next step, by the dialect's measure; its text has half of that at most.
const MAX_STEP: usize = 1_000;

/// The next step as a line; none without one.
pub(crate) fn next_step(report: &Report, dialect: &impl Dialect) -> Option<String> {
    let step = report.next_step.as_ref()?;
    Some(fit(&format!("**Next step:** {step}"), dialect, MAX_STEP))
}

fn head(report: &Report, dialect: &impl Dialect) -> Vec<String> {
    let (bold, between, rest) = report.first_line();
    let (bold, rest) = (dialect.bold(&dialect.escape(bold)), dialect.escape(rest));
    let mut parts = vec![dialect.paragraph(&format!("{} {bold}{between}{rest}", report.symbol()))];
    parts.extend(next_step(report, dialect));
    if !report.facts.is_empty() {
        let facts = report.facts.iter().map(|fact| labelled(dialect, fact.name, &fact.value));
        parts.push(dialect.paragraph(&facts.collect::<Vec<_>>().join(" · ")));
    }
    if let Some(error) = &report.error {
        parts.push(dialect.paragraph(&labelled(dialect, "Error", error)));
    }
    parts
}

fn foot(report: &Report, dialect: &impl Dialect) -> Vec<String> {
    let mut parts = Vec::new();
    let notes = report.notes.iter().map(|note| {
        let mark = if note.weight == Weight::Warning { "\u{26a0} " } else { "" };
        format!("{mark}{}", dialect.escape(&note.text))
    });
    let caution = report.caution.map(|text| dialect.escape(text));
    let lines: Vec<String> = notes.chain(caution).collect();
    if !lines.is_empty() {
        parts.push(dialect.paragraph(&lines.join(dialect.line_break())));
    }
    let pages = report.pages.iter().map(|page| dialect.link(&page.title, &page.url));
    let addresses: Vec<String> =
        std::iter::once(dialect.link(report.link_label, &report.link)).chain(pages).collect();
    parts.push(dialect.paragraph(&addresses.join(" · ")));
    parts
}

fn labelled(dialect: &impl Dialect, name: &str, value: &str) -> String {
    format!("{} {}", dialect.bold(&format!("{name}:")), dialect.escape(value))
}

fn blocks(blocks: &[Block], dialect: &impl Dialect) -> String {
    let mut parts = Vec::new();
    let mut items: Vec<ListItem> = Vec::new();
    for block in blocks {
        if let Block::Item(item) = block {
            items.push(list_item(item, dialect));
            continue;
        }
        end_list(&mut items, &mut parts, dialect);
        parts.push(match block {
            Block::Heading(all) => dialect.paragraph(&dialect.bold(&unstyled(all, dialect))),
            Block::Code(text) => dialect.code_block(text),
            Block::Table(table) => dialect.table(table),
            Block::Quote(Quote { depth, spans: all }) => {
                dialect.quote(&spans(all, dialect), *depth)
            }
            Block::Paragraph(all) => dialect.paragraph(&spans(all, dialect)),
            Block::Item(_) => continue,
        });
    }
    end_list(&mut items, &mut parts, dialect);
    parts.join(dialect.separator())
}

pub(crate) fn list_item(item: &Item, dialect: &impl Dialect) -> ListItem {
    let escaped = spans(&item.spans, dialect);
    ListItem { depth: item.depth, number: item.number, escaped }
}

fn end_list(items: &mut Vec<ListItem>, parts: &mut Vec<String>, dialect: &impl Dialect) {
    if !items.is_empty() {
        parts.push(dialect.list(items));
        items.clear();
    }
}

pub(crate) fn spans(spans: &[Span], dialect: &impl Dialect) -> String {
    let parts = spans.iter().map(|span| match span.style {
        Style::Plain => lines(&span.text, dialect),
        Style::Bold => marked(&span.text, dialect, |text| dialect.bold(text)),
        Style::Italic => marked(&span.text, dialect, |text| dialect.italic(text)),
        Style::Struck => marked(&span.text, dialect, |text| dialect.struck(text)),
        Style::Code => dialect.code(&span.text),
    });
    parts.collect()
}

/// A styled text: each line by itself, and the spaces around it outside, because markup does not begin or end with one.
fn marked(text: &str, dialect: &impl Dialect, mark: impl Fn(&str) -> String) -> String {
    let lines = text.split('\n').map(|line| {
        let inner = line.trim();
        if inner.is_empty() {
            return line.to_owned();
        }
        let (before, after) = (line.len() - line.trim_start().len(), line.trim_end().len());
        let marked = mark(&dialect.escape(inner));
        format!("{}{marked}{}", &line[..before], &line[after..])
    });
    lines.collect::<Vec<_>>().join(dialect.line_break())
}

pub(crate) fn unstyled(spans: &[Span], dialect: &impl Dialect) -> String {
    spans.iter().map(|span| dialect.escape(&span.text)).collect()
}

fn lines(text: &str, dialect: &impl Dialect) -> String {
    text.split('\n').map(|line| dialect.escape(line)).collect::<Vec<_>>().join(dialect.line_break())
}

/// Text without markup.
pub(crate) struct Plain;

impl Dialect for Plain {
    fn escape(&self, text: &str) -> String {
        text.to_owned()
    }

    fn bold(&self, escaped: &str) -> String {
        escaped.to_owned()
    }

    fn code(&self, text: &str) -> String {
        text.to_owned()
    }

    fn code_block(&self, text: &str) -> String {
        text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
    }

    fn link(&self, label: &str, url: &str) -> String {
        format!("{label}: {url}")
    }
}

/// HTML as mail programs and clients of Matrix show it.
pub(crate) struct Html;

impl Dialect for Html {
    fn escape(&self, text: &str) -> String {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text.replace('"', "&quot;")
    }

    fn bold(&self, escaped: &str) -> String {
        format!("<strong>{escaped}</strong>")
    }

    fn code(&self, text: &str) -> String {
        format!("<code>{}</code>", self.escape(text))
    }

    fn code_block(&self, text: &str) -> String {
        format!("<pre><code>{}</code></pre>", self.escape(text))
    }

    fn link(&self, label: &str, url: &str) -> String {
        format!("<a href=\"{}\">{}</a>", self.escape(url), self.escape(label))
    }

    fn italic(&self, escaped: &str) -> String {
        format!("<em>{escaped}</em>")
    }

    fn struck(&self, escaped: &str) -> String {
        format!("<del>{escaped}</del>")
    }

    fn paragraph(&self, escaped: &str) -> String {
        format!("<p>{escaped}</p>")
    }

    fn quote(&self, escaped: &str, depth: usize) -> String {
        let (open, close) = ("<blockquote>".repeat(depth), "</blockquote>".repeat(depth));
        format!("{open}<p>{escaped}</p>{close}")
    }

    fn table(&self, table: &Table) -> String {
        let row = |cells: &[String], tag: &str| {
            let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", self.escape(cell)));
            format!("<tr>{}</tr>", cells.collect::<String>())
        };
        let rows: String = table.rows.iter().map(|cells| row(cells, "td")).collect();
        format!("<table><thead>{}</thead><tbody>{rows}</tbody></table>", row(&table.head, "th"))
    }

    fn list(&self, items: &[ListItem]) -> String {
        let items = items.iter().map(|item| match item.number {
            Some(number) => format!("<li>{number}. {}</li>", item.escaped),
            None => format!("<li>{}</li>", item.escaped),
        });
        format!("<ul>{}</ul>", items.collect::<String>())
    }

    fn line_break(&self) -> &'static str {
        "<br>"
    }

    fn separator(&self) -> &'static str {
        "\n"
    }
}

#[cfg(test)]
pub(crate) mod tests;
