//! Tables: aligned for a person at a terminal, a tab between cells for whatever reads a pipe or a file.

use std::fmt::Display;

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table as Aligned};

use super::{field, line};

/// What becomes of rows that are wider than the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    /// Their ends are cut.
    Cut,
    /// Their cells are wrapped.
    Wrapped,
}

/// Rows below a header. Cells may be texts of others.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        Self { rows: vec![header.map(str::to_owned).into()] }
    }

    pub(crate) fn add<const N: usize>(&mut self, cells: [impl Display; N]) {
        let cells = cells.map(|cell| field(&cell.to_string()).into_owned());
        self.rows.push(cells.into());
    }

    /// Prints it, and returns whether an end was cut.
    pub(crate) fn print(&self, wide: Wide) -> bool {
        let width = console::Term::stdout().size_checked().map(|(_, columns)| columns);
        let (text, cut) = self.shown(width, wide);
        line(&text);
        cut
    }

    /// For a terminal of this width; none of a pipe or a file.
    fn shown(&self, width: Option<u16>, wide: Wide) -> (String, bool) {
        let Some(width) = width else {
            let rows: Vec<_> = self.rows.iter().map(|row| row.join("\t")).collect();
            return (rows.join("\n"), false);
        };
        let mut table = Aligned::new();
        table.load_style(NOTHING).add_rows(&self.rows);
        if wide == Wide::Wrapped {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        let whole = table.to_string();
        let lines = whole.lines().map(str::trim_end);
        if wide == Wide::Wrapped {
            return (lines.collect::<Vec<_>>().join("\n"), false);
        }
        let fitting: Vec<_> =
            lines.map(|line| console::truncate_str(line, usize::from(width), "…")).collect();
        let cut = fitting.iter().zip(whole.lines()).any(|(shown, line)| shown != line.trim_end());
        (fitting.join("\n"), cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(problem: &str) -> Table {
        let mut table = Table::new(["SERVER", "PROBLEM"]);
        table.add(["kubernetes-server", problem]);
        table.add(["host", ""]);
        table
    }

    #[test]
    fn a_pipe_gets_a_tab_between_cells_and_nothing_that_only_aligns() {
        let (text, cut) = table("it did not start\tat all").shown(None, Wide::Cut);
        let expected = "SERVER\tPROBLEM\nkubernetes-server\tit did not start[U+0009]at all\nhost\t";
        assert_eq!((text.as_str(), cut), (expected, false));
    }

    #[test]
    fn rows_are_cut_to_the_terminal_or_wrapped() {
        let long = format!("it did not start: {}the end", "word ".repeat(60));
        let (text, cut) = table(&long).shown(Some(90), Wide::Cut);
        assert!(cut && text.contains("it did not start: word") && text.contains('…'), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");

        let (text, cut) = table(&long).shown(Some(90), Wide::Wrapped);
        assert!(!cut && text.contains("end"), "{text}");
        assert_eq!(text.matches("word").count(), 60, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
    }

    #[test]
    fn what_fits_is_aligned_and_not_cut() {
        let (text, cut) = table("it did not start").shown(Some(90), Wide::Cut);
        assert!(!cut && text.contains("it did not start"), "{text}");
        let column = |at: usize, part: &str| text.lines().nth(at).and_then(|line| line.find(part));
        assert_eq!(column(0, "PROBLEM"), column(1, "it did not start"), "{text}");
    }

    #[test]
    fn a_cell_forges_no_row() {
        let (text, _) = table("one\nhost\thealthy").shown(None, Wide::Cut);
        assert_eq!(text.lines().count(), 3, "{text}");
    }
}
