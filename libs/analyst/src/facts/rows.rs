//! Rows: values that stand beside each other in a table, in an object of a document, or in a list of names with values.

use std::sync::LazyLock;

use regex::Regex;
use tarsy_evidence::{Node, Shape};

use super::model::{Facts, Source};
use super::moment::written_at;
use super::row::{Cell, Row};
use crate::alert::snake;
use crate::text::regex;
use crate::verdict::Quote;

/// Rows of one result; a bound on time and memory.
const MOST_ROWS: usize = 2_000;
/// Values of one row.
const MOST_CELLS: usize = 200;
/// How deep the values of an object are taken into its row.
const DEEPEST: usize = 4;
/// Columns from which on aligned lines are a table.
const LEAST_COLUMNS: usize = 3;

impl Facts {
    /// The line of a value of a row.
    pub(crate) fn quote_cell(&self, row: &Row, cell: &Cell) -> Quote {
        self.quote(row.result, cell.line, &cell.text)
    }
}

/// Adds the rows of a result.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>) {
    let mut rows = Rows { rows: Vec::new(), source };
    let is_document = |node: &Node| !matches!(node.shape, Shape::Scalar(_));
    if documents.iter().any(is_document) {
        for node in documents {
            rows.walk(node, true);
        }
    } else {
        rows.read_lines();
    }
    rows.rows.truncate(MOST_ROWS);
    facts.rows.append(&mut rows.rows);
}

struct Rows<'s> {
    rows: Vec<Row>,
    source: &'s Source<'s>,
}

impl Rows<'_> {
    fn push(&mut self, mut cells: Vec<Cell>) {
        cells.truncate(MOST_CELLS);
        if !cells.is_empty() && self.rows.len() < MOST_ROWS {
            let subject = self.source.subject.clone();
            self.rows.push(Row { cells, result: self.source.result, subject });
        }
    }

    /// A row for each object that stands alone or in a list; the objects in it belong to its row.
    fn walk(&mut self, node: &Node, is_row: bool) {
        match &node.shape {
            Shape::Scalar(_) => {}
            Shape::List(items) => items.iter().for_each(|item| self.walk(item, true)),
            Shape::Map(entries) => {
                if is_row {
                    let mut cells = Vec::new();
                    flatten(node, "", DEEPEST, &mut cells);
                    self.push(cells);
                }
                for entry in entries {
                    self.walk(&entry.value, false);
                }
            }
        }
    }

    /// Adds the rows of a table that begins at a line, and returns the first line behind it.
    fn read_table(&mut self, table: &Table, from: usize, pairs: &mut Vec<Cell>) -> usize {
        let lines = self.source.lines.iter().enumerate().skip(from);
        let mut last = from;
        for (at, line) in lines.take_while(|(_, line)| !line.trim().is_empty()) {
            let cells = table.cells(line, at + 1);
            if let (true, [name, value]) = (table.is_settings(), cells.as_slice()) {
                pairs.push(Cell { name: snake(&name.text), ..value.clone() });
            } else {
                self.push(cells);
            }
            last = at + 1;
        }
        last
    }

    /// Tables, and names with values, which are one row until a name comes again.
    fn read_lines(&mut self) {
        let lines = self.source.lines;
        let mut pairs: Vec<Cell> = Vec::new();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let table = Table::begin(line, lines.get(at + 1).map_or("", String::as_str));
            if let Some(table) = table {
                at = self.read_table(&table, at + 1, &mut pairs);
                continue;
            }
            if is_settings(line) {
                at += 1;
                while let Some((name, value)) = lines.get(at).and_then(|line| line.split_once(','))
                {
                    let text = value.trim().trim_matches('"').to_owned();
                    pairs.push(Cell { name: snake(name.trim()), text, line: at + 1 });
                    at += 1;
                }
                continue;
            }
            if let Some(cell) = pair(line, at + 1) {
                if pairs.iter().any(|known| known.name == cell.name) {
                    self.push(std::mem::take(&mut pairs));
                }
                pairs.push(cell);
            }
            at += 1;
        }
        self.push(pairs);
    }
}

fn flatten(node: &Node, path: &str, depth: usize, cells: &mut Vec<Cell>) {
    for entry in node.entries() {
        let dot = if path.is_empty() { "" } else { "." };
        let name = format!("{path}{dot}{}", snake(&entry.key));
        match &entry.value.shape {
            Shape::Scalar(text) if cells.len() < MOST_CELLS => {
                cells.push(Cell { name, text: text.clone(), line: entry.value.line });
            }
            Shape::Map(_) if depth > 0 => flatten(&entry.value, &name, depth - 1, cells),
            _ => {}
        }
    }
}

/// The heading of names and values with a comma between them.
fn is_settings(line: &str) -> bool {
    let heading = line.trim().to_lowercase();
    matches!(heading.as_str(), "variable_name,value" | "name,value" | "key,value" | "setting,value")
}

/// `name: value`, `name = value`, and a name and a value with a tab between them; no line of a log.
fn pair(line: &str, number: usize) -> Option<Cell> {
    static PAIR: LazyLock<Regex> = regex!(
        r"^\s*(?P<name>[A-Za-z][\w .()/%-]{0,60}?)\s*(?:[:=]|\t)\s*(?P<value>\S(?:.{0,400}\S)?)\s*$"
    );
    let found = PAIR.captures(line).filter(|_| written_at(line).is_none())?;
    let parts = found.name("name")?.as_str().split('.').map(snake);
    let name = parts.collect::<Vec<_>>().join(".");
    let text = found.name("value").map_or("", |value| value.as_str());
    // The heading of what MySQL answers.
    let is_heading = name == "variable_name";
    (!is_heading).then(|| Cell { name, text: text.to_owned(), line: number })
}

/// What separates the columns of a table.
enum Columns {
    /// By a character.
    Separated(char),
    /// By the places at which the names in the heading begin.
    Aligned(Vec<usize>),
}

struct Table {
    names: Vec<String>,
    columns: Columns,
}

impl Table {
    /// The table whose heading is a line.
    fn begin(line: &str, next: &str) -> Option<Self> {
        static COLUMN: LazyLock<Regex> = regex!(r"\S+(?: \S+)*");
        let line = line.strip_prefix("# ").unwrap_or(line);
        let count = |text: &str, separator: char| text.matches(separator).count();
        let by = |separator: char| {
            let names = line.split(separator).map(|name| snake(name.trim())).collect();
            Some(Self { names, columns: Columns::Separated(separator) })
        };
        if line.contains('|') && is_ruler(next) || !line.contains('|') && next.starts_with("---") {
            return by('|');
        }
        for separator in [',', '\t'] {
            let columns = count(line, separator);
            let is_heading = line.split(separator).all(|name| is_name(name.trim()));
            if columns + 1 >= LEAST_COLUMNS && columns == count(next, separator) && is_heading {
                return by(separator);
            }
        }
        let columns: Vec<_> = COLUMN.find_iter(line).collect();
        let is_heading = columns.iter().all(|name| is_name(name.as_str()))
            && line.starts_with(|c: char| c.is_ascii_alphabetic());
        if columns.len() < LEAST_COLUMNS || !is_heading || !next.contains("  ") {
            return None;
        }
        let names = columns.iter().map(|name| snake(name.as_str())).collect();
        let starts = columns.iter().map(regex::Match::start).collect();
        Some(Self { names, columns: Columns::Aligned(starts) })
    }

    /// Whether each row is a name with its value.
    fn is_settings(&self) -> bool {
        let names = self.names.iter().map(String::as_str).filter(|name| !name.is_empty());
        let names: Vec<&str> = names.collect();
        let keys = ["field", "variable_name", "name", "key", "setting"];
        matches!(names.as_slice(), [name, "value"] if keys.contains(name))
    }

    fn cells(&self, line: &str, number: usize) -> Vec<Cell> {
        if is_ruler(line) {
            return Vec::new();
        }
        let parts: Vec<&str> = match &self.columns {
            Columns::Separated(separator) => line.split(*separator).collect(),
            Columns::Aligned(starts) => {
                let ends = starts.iter().skip(1).copied().chain([line.len()]);
                let parts = starts.iter().zip(ends);
                parts.map(|(from, to)| line.get(*from..to).unwrap_or_default()).collect()
            }
        };
        let named = self.names.iter().zip(parts);
        let cells = named.map(|(name, text)| Cell {
            name: name.clone(),
            text: text.trim().to_owned(),
            line: number,
        });
        cells.filter(|cell| !cell.text.is_empty()).collect()
    }
}

/// Whether a line only separates the heading of a table from its rows.
fn is_ruler(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|byte| b"-+| ".contains(&byte))
}

/// Whether a text can be the name of a column.
fn is_name(text: &str) -> bool {
    static NAME: LazyLock<Regex> = regex!(r"^[@A-Za-z][\w.%()/@ -]{0,40}$");
    NAME.is_match(text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::transcript::{CallRecord, Transcript};

    fn rows(text: &str) -> Vec<Row> {
        let call = CallRecord {
            number: 1,
            tool: "sql.query".to_owned(),
            arguments: Value::Null,
            text: text.to_owned(),
            failed: false,
        };
        let transcript = Transcript { calls: vec![call], ..Transcript::default() };
        crate::facts::read(&transcript, &crate::alert::Focus::default()).rows
    }

    #[test]
    fn tables_are_read_in_the_forms_of_programs() {
        for text in [
            " slot_name | active | wal_status\n-----------+--------+------------\n copy_1    | f      | lost\n(1 row)\n",
            "slot_name,active,wal_status\ncopy_1,f,lost\n",
            "slot_name\tactive\twal_status\ncopy_1\tf\tlost\n",
            "SLOT NAME  ACTIVE  WAL_STATUS\ncopy_1     f       lost\n",
            r#"[{"slot_name": "copy_1", "active": "f", "wal_status": "lost"}]"#,
        ] {
            let rows = rows(text);
            let row = rows.first().unwrap();
            let cells = ["slot_name", "active", "wal_status"].map(|name| row.text(name));
            assert_eq!(cells, ["copy_1", "f", "lost"], "{text}");
        }
    }

    #[test]
    fn names_with_values_are_one_row() {
        for text in [
            "# Replication\nrole:slave\nmaster_link_status:down\n",
            "role = slave\nmaster_link_status = down\n",
            r#"{"info": {"role": "slave", "master_link_status": "down"}}"#,
        ] {
            let rows = rows(text);
            let [row] = rows.as_slice() else { panic!("{rows:?}") };
            assert_eq!((row.text("role"), row.text("master_link_status")), ("slave", "down"));
        }
        assert!(rows("2026-05-01T09:58:11Z role: slave\n").is_empty());
    }
}
