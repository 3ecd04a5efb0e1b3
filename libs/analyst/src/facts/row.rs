//! A row and its values.

use crate::verdict::Target;

/// Values that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) cells: Vec<Cell>,
    pub(crate) result: usize,
    /// What the call asked for.
    pub(crate) subject: Target,
}

/// A value with its name.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// In small letters with `_`, the names around it before it with a dot.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Row {
    /// The value of this name, or of one that ends in it.
    pub(crate) fn get(&self, name: &str) -> Option<&Cell> {
        let ends = |cell: &&Cell| {
            let rest = cell.name.strip_suffix(name);
            rest.is_some_and(|rest| rest.ends_with('.'))
        };
        let same = self.cells.iter().find(|cell| cell.name == name);
        same.or_else(|| self.cells.iter().find(ends))
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).map_or("", |cell| cell.text.as_str())
    }
}

impl Cell {
    pub(crate) fn number(&self) -> Option<f64> {
        self.text.replace(',', "").parse().ok()
    }
}
