//! Tables whose cells are separated by commas, semicolons or tabs: `show stat` of `HAProxy`, exports of databases, answers of servers.

use super::table::{is_settings, push_cell, row_object};
use super::{Object, Readings};

/// The least and the most columns of such a table.
const COLUMNS: std::ops::RangeInclusive<usize> = 3..=200;
/// The longest name of a column, in bytes.
const LONGEST_NAME: usize = 40;

/// Reads the table that begins at the first line, and returns how many lines it takes.
pub(super) fn read_csv(lines: &[&str], first: usize, readings: &mut Readings) -> Option<usize> {
    let head = lines.first()?.trim_start_matches("# ");
    let separator =
        ['\t', ';'].into_iter().find(|one| head.matches(*one).count() > 1).unwrap_or(',');
    let names = cells(head, separator);
    let is_pairs = is_settings(&names);
    let fits = COLUMNS.contains(&names.len()) || is_pairs;
    if !fits || !names.iter().all(|name| is_name(name)) {
        return None;
    }
    let mut taken = 1;
    for line in lines.iter().skip(1) {
        let cells = cells(line, separator);
        if cells.len() != names.len() {
            break;
        }
        if let ([key, value], true) = (cells.as_slice(), is_pairs) {
            readings.push(&Object::default(), key, value, first + taken);
            taken += 1;
            continue;
        }
        let object = row_object(&names, &cells, &Object::default());
        for (name, cell) in names.iter().zip(&cells) {
            push_cell(&object, name, cell, first + taken, readings);
        }
        taken += 1;
    }
    (taken > 1).then_some(taken)
}

fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '%' | '/'))
}

/// The cells of a line; what stands between quotation marks separates nothing.
fn cells(line: &str, separator: char) -> Vec<&str> {
    let mut is_quoted = false;
    let separates = |c: char| {
        is_quoted ^= c == '"' && separator != '\t';
        c == separator && !is_quoted
    };
    line.trim_end().split(separates).map(|cell| cell.trim().trim_matches('"')).collect()
}
