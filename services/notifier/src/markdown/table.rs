//! Tables as text.

/// The widest table that is aligned, in characters; a phone shows about 45, a wide window 100.
const MAX_WIDTH: usize = 90;
const BETWEEN: &str = "  ";

/// A table; its cells are without markup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    /// Each has as many cells as the head.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// The table in columns of equal width, for a font of equal width; none if it is too wide.
    pub(crate) fn aligned(&self) -> Option<String> {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let mut widths = vec![0; self.head.len()];
        for line in lines() {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = cell.chars().count().max(*width);
            }
        }
        let between = BETWEEN.len() * widths.len().saturating_sub(1);
        if widths.iter().sum::<usize>() + between > MAX_WIDTH {
            return None;
        }
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut out = vec![padded(&self.head, &widths), padded(&rule, &widths)];
        out.extend(self.rows.iter().map(|row| padded(row, &widths)));
        Some(out.join("\n"))
    }

    /// A row in one line, each cell behind the name of its column.
    pub(crate) fn described(&self) -> impl Iterator<Item = Vec<(&str, &str)>> {
        self.rows.iter().map(|row| {
            let cells =
                self.head.iter().zip(row).map(|(name, cell)| (name.as_str(), cell.as_str()));
            cells.filter(|(_, cell)| !cell.is_empty()).collect()
        })
    }
}

fn padded(cells: &[String], widths: &[usize]) -> String {
    let cells = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
    cells.collect::<Vec<_>>().join(BETWEEN).trim_end().to_owned()
}
