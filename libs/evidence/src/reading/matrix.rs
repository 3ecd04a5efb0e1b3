//! Rows that stand apart from the names of their columns, as servers of databases answer:
//! `{"columns": ["table", "parts"], "rows": [["events", 3004]]}`.

use super::tree::{Entry, Node, Shape};

/// Keys of the names, and of the rows.
const NAMES: &[&str] =
    &["columns", "column_names", "fields", "headers", "header", "schema", "cols"];
const ROWS: &[&str] = &["rows", "data", "results", "records", "data_array"];

/// The value with an object for each of such rows.
pub(super) fn with_names(node: Node) -> Node {
    let Node { shape, line } = node;
    let shape = match shape {
        Shape::Scalar(text) => Shape::Scalar(text),
        Shape::List(items) => Shape::List(items.into_iter().map(with_names).collect()),
        Shape::Map(mut entries) => {
            if let Some((names, rows)) = columns(&entries) {
                name_cells(&mut entries, &names, &rows);
            }
            let named = |Entry { key, value }| Entry { key, value: with_names(value) };
            Shape::Map(entries.into_iter().map(named).collect())
        }
    };
    Node { shape, line }
}

/// The names of the columns, and the key of the rows, if each row has as many cells.
fn columns(entries: &[Entry]) -> Option<(Vec<String>, String)> {
    let list = |keys: &[&str]| {
        let found = entries.iter().find(|entry| keys.contains(&entry.key.as_str()))?;
        Some((found.key.clone(), found.value.items())).filter(|(_, items)| !items.is_empty())
    };
    let (_, heads) = list(NAMES)?;
    let names: Option<Vec<String>> = heads
        .iter()
        .map(|head| head.text().or_else(|| head.get("name")?.text()).map(str::to_owned))
        .collect();
    let names = names?;
    let (key, rows) = list(ROWS)?;
    rows.iter()
        .all(|row| matches!(&row.shape, Shape::List(cells) if cells.len() == names.len()))
        .then_some((names, key))
}

fn name_cells(entries: &mut [Entry], names: &[String], rows: &str) {
    let Some(entry) = entries.iter_mut().find(|entry| entry.key == rows) else { return };
    let Shape::List(rows) = &mut entry.value.shape else { return };
    for row in rows {
        let Shape::List(cells) = &mut row.shape else { continue };
        let cells = names.iter().zip(std::mem::take(cells));
        let named_by = |(name, value): (&String, Node)| Entry { key: name.clone(), value };
        row.shape = Shape::Map(cells.map(named_by).collect());
    }
}
