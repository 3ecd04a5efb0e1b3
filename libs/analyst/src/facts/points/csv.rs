//! Tables with commas, semicolons or tabs whose first column is the time.

use crate::facts::model::Source;
use crate::facts::series::{Point, Series, point, time_of};

/// Separators of columns.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// A series for each other column; none if a row does not begin with a time.
pub(super) fn read(source: &Source<'_>) -> Vec<Series> {
    let mut rows = source.lines.iter().enumerate().filter(|(_, row)| !row.trim().is_empty());
    let Some((top, heading)) = rows.next() else { return Vec::new() };
    let Some(separator) = SEPARATORS.into_iter().find(|one| heading.contains(*one)) else {
        return Vec::new();
    };
    let mut columns: Vec<(&str, Vec<Point>)> =
        cells(heading, separator).skip(1).map(|name| (name, Vec::new())).collect();
    for (at, row) in rows {
        let mut cells = cells(row, separator);
        let time = cells.next().unwrap_or_default();
        if time_of(time).is_none() {
            return Vec::new();
        }
        for ((_, points), value) in columns.iter_mut().zip(cells) {
            points.extend(point((time, at + 1), (value, at + 1)));
        }
    }
    let series = columns.into_iter().map(|(name, points)| Series {
        name: name.to_owned(),
        object: String::new(),
        machine: String::new(),
        unit: String::new(),
        points,
        line: top + 1,
        result: source.result,
    });
    series.collect()
}

/// The cells of a row. Between quotation marks a separator is text, as in names with labels.
fn cells(row: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let ends = move |sign: char| {
        quoted ^= sign == '"';
        sign == separator && !quoted
    };
    row.split(ends).map(|text| text.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use crate::facts::points::tests::series;

    #[test]
    fn a_separator_in_quotation_marks_is_part_of_a_name() {
        let row = |at: usize| format!("2026-03-01 10:0{at}:00,{at}.5\n");
        let rows: String = (0..6).map(row).collect();
        let found = series(&format!("\"Time\",\"lag{{db=\"\"a\"\", job=\"\"b\"\"}}\"\n{rows}"));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].name.starts_with("lag{") && found[0].name.ends_with('}'),
            "{}",
            found[0].name
        );
        assert_eq!(found[0].points[5].text, "5.5");
    }

    #[test]
    fn each_column_beside_the_time_is_a_series() {
        let rows = |separator: char| {
            let row = |at: usize| format!("2026-03-01 10:0{at}:00{separator}{at}.5{separator}\n");
            let rows: String = (0..6).map(row).collect();
            format!("\"Time\"{separator}\"db-1 lag\"{separator}other\n{rows}")
        };
        for text in [rows(','), rows(';'), rows('\t')] {
            let found = series(&text);
            assert_eq!(found.len(), 1, "the other column has no values: {text}");
            assert_eq!(found[0].name, "db-1 lag");
            assert_eq!(found[0].points[5].text, "5.5");
            assert_eq!(found[0].points[5].line, 7);
        }
    }

    #[test]
    fn other_tables_are_no_series() {
        let rows = "web,3\ndb,4\ncache,5\nqueue,6\nproxy,7\nmail,8\n";
        assert_eq!(series(&format!("name,age\n{rows}")), []);
        assert_eq!(series("a sentence, with a comma\n2026-03-01T10:00:00Z,3\n"), []);
    }
}
