//! Tables whose columns stand below words of a header: kubectl, docker, df, ps, free, ss, vmstat, iostat, helm.

use super::pairs::leading_time;
use super::tree::{NAMES, names_its_map};
use super::{Object, Readings};

/// Headers of two words whose columns would be taken for two.
const COMPOUND: &[&str] = &[
    "Mounted on",
    "Local Address:Port",
    "Peer Address:Port",
    "Local Address",
    "Foreign Address",
    "Peer Address",
    "PID/Program name",
    "CONTAINER ID",
    "IMAGE ID",
    "NOMINATED NODE",
    "READINESS GATES",
    "LAST SEEN",
    "FIRST SEEN",
    "ACCESS MODES",
    "APP VERSION",
    "STARTED AT",
    "SYNC STATUS",
    "HEALTH STATUS",
    "RECLAIM POLICY",
    "STORAGE CLASS",
    "MEM USAGE / LIMIT",
    "NET I/O",
    "BLOCK I/O",
    "CPU %",
    "MEM %",
    "SUBOBJECT SOURCE",
    "RAW USE",
];
/// Columns a table may have.
const MOST_COLUMNS: usize = 64;

pub(super) struct Header<'t> {
    names: Vec<&'t str>,
    /// Where each name begins, in bytes.
    starts: Vec<usize>,
    /// Whether at least two spaces stand between all names.
    is_wide: bool,
}

/// Reads the table that begins at the first line, and returns how many lines it takes; none if there is no table.
pub(super) fn read_table(
    lines: &[&str],
    first: usize,
    outer: &Object,
    readings: &mut Readings,
) -> Option<usize> {
    let [head, rest @ ..] = lines else { return None };
    let ruled = rest.first().is_some_and(|line| is_rule(line));
    let by_rule = rest.first().filter(|_| ruled).and_then(|rule| Header::above(head, rule));
    let header = by_rule.or_else(|| Header::parse(head))?;
    let sample = rest.get(usize::from(ruled))?;
    if !(ruled || header.is_shouted() || header.is_known() || header.is_above_numbers(sample)) {
        return None;
    }
    let indent = indent_of(head);
    // Headings over numbers stand to the right of the rows.
    let in_section = ruled || header.is_known();
    let mut taken = 1 + usize::from(ruled);
    for line in lines.iter().skip(taken) {
        if line.trim().is_empty()
            || header.is_followed_by_log(line)
            || in_section && indent_of(line) + 1 < indent
            || ends_table(line, &header)
        {
            break;
        }
        if let Some(cells) = header.cells(line) {
            header.read_row(&cells, first + taken, outer, readings);
        } else if header.is_ruled_off(line) {
            break;
        }
        taken += 1;
    }
    (taken > 1 + usize::from(ruled)).then_some(taken)
}

/// Whether another table or section begins inside.
fn ends_table(line: &str, header: &Header<'_>) -> bool {
    let next = Header::parse(line);
    let another =
        next.is_some_and(|next| next.names.len() > 2 && next.is_shouted() && header.is_shouted());
    another || line.trim_end().ends_with(':') && !line.trim().contains(' ')
}

/// The length of the label of a row of headings, as `avg-cpu:` of iostat and `RX:` of ip.
fn cpu_label(line: &str) -> usize {
    let names = || line.split_whitespace().skip(1);
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_lowercase());
    let label = line.find(':').filter(|_| {
        names().all(|name| name.starts_with('%'))
            || line.starts_with(' ') && names().count() > 3 && names().all(is_plain)
    });
    label.map_or(0, |at| at + 1)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_rule(line: &str) -> bool {
    let text = line.trim();
    text.len() > 2
        && text.contains("--")
        && text.bytes().all(|byte| matches!(byte, b'-' | b' ' | b'='))
}

impl<'t> Header<'t> {
    /// Whether a line begins with a time although no column has one: it is what another program printed.
    fn is_followed_by_log(&self, line: &str) -> bool {
        let is_of_time = |name: &&str| {
            let name = name.to_lowercase();
            ["time", "date", "at", "seen", "updated", "created"]
                .iter()
                .any(|part| name.contains(part))
                || leading_time(&name).is_some()
        };
        !self.names.iter().any(is_of_time) && leading_time(line).is_some()
    }

    /// The names above the parts of a rule, which may have several words: `CPU Requests` above `------------`.
    fn above(line: &'t str, rule: &str) -> Option<Self> {
        let mut starts = Vec::new();
        let mut before = ' ';
        for (at, c) in rule.char_indices() {
            if c != ' ' && before == ' ' {
                starts.push(at);
            }
            before = c;
        }
        let ends = starts.iter().skip(1).copied().chain([line.len()]);
        let names: Option<Vec<&str>> = starts
            .iter()
            .zip(ends)
            .map(|(start, end)| Some(line.get(*start..end.min(line.len()))?.trim()))
            .collect();
        let names = names.filter(|names| names.len() > 1 && names.len() <= MOST_COLUMNS)?;
        let is_whole = names.iter().all(|name| !name.is_empty() && !name.contains("  "));
        (is_whole && !line.contains(['=', '{', '|'])).then_some(Self {
            names,
            starts,
            is_wide: true,
        })
    }

    fn parse(line: &'t str) -> Option<Self> {
        if line.len() > 2_000 || line.contains(['=', '{', '"', '|', '\'']) {
            return None;
        }
        let mut names = Vec::new();
        let mut starts = Vec::new();
        let mut at = cpu_label(line);
        while let Some(skipped) =
            line.get(at..).and_then(|rest| rest.find(|c: char| !c.is_whitespace()))
        {
            at += skipped;
            let rest = line.get(at..)?;
            let compound =
                COMPOUND.iter().find(|name| rest.starts_with(**name)).map(|name| name.len());
            let length =
                compound.unwrap_or_else(|| rest.find(char::is_whitespace).unwrap_or(rest.len()));
            names.push(rest.get(..length)?);
            starts.push(at);
            at += length;
        }
        let digit = names.iter().any(|name| {
            name.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
                || name.ends_with([':', '.', ','])
        });
        if names.len() < 2 || names.len() > MOST_COLUMNS || digit {
            return None;
        }
        let is_wide =
            line.trim().split("  ").filter(|part| !part.trim().is_empty()).count() == names.len();
        Some(Self { names, starts, is_wide })
    }

    /// Names in capitals, as kubectl and docker write them.
    fn is_shouted(&self) -> bool {
        let shouts = |name: &&&str| {
            name.bytes().any(|byte| byte.is_ascii_uppercase())
                && !name.bytes().any(|byte| byte.is_ascii_lowercase())
        };
        let loud = self.names.iter().filter(shouts).count();
        loud == self.names.len() || loud >= 3 && loud + 1 >= self.names.len()
    }

    fn is_known(&self) -> bool {
        let first_two = (self.names.first().copied(), self.names.get(1).copied());
        matches!(
            first_two,
            (Some("Type"), Some("Status" | "Reason"))
                | (Some("Filesystem" | "Device" | "Proto" | "Netid" | "State"), Some(_))
        )
    }

    /// A header in small letters has numbers below it.
    fn is_above_numbers(&self, below: &str) -> bool {
        let cells: Vec<&str> = below.split_whitespace().collect();
        let numbers = cells.iter().filter(|cell| super::whole_quantity(cell).is_some()).count();
        cells.len() >= self.names.len()
            && cells.len() <= self.names.len() + 1
            && numbers * 2 >= self.names.len()
            && numbers >= 2
    }

    fn is_ruled_off(&self, line: &str) -> bool {
        !self.is_wide && line.split_whitespace().count() * 2 < self.names.len()
    }

    /// The cells of a row; a first one more than columns is the row's own name.
    fn cells<'l>(&self, line: &'l str) -> Option<Vec<&'l str>> {
        let count = self.names.len();
        let wide: Vec<&str> = line
            .split(['\t'])
            .flat_map(|part| part.split("  "))
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect();
        if wide.len() == count {
            return Some(wide);
        }
        let narrow: Vec<&str> = line.split_whitespace().collect();
        if narrow.len() == count || (narrow.len() <= count + 1 && narrow.first()?.ends_with(':')) {
            return Some(narrow);
        }
        if let Some(cells) = self.sliced(line) {
            return Some(cells);
        }
        if narrow.len() > count && count > 1 {
            let last = *narrow.get(count - 1)?;
            let from = last.as_ptr().addr().checked_sub(line.as_ptr().addr())?;
            let mut cells: Vec<&str> = narrow.into_iter().take(count - 1).collect();
            cells.push(line.get(from..)?.trim());
            return Some(cells);
        }
        None
    }

    /// Cells cut where the names of the columns begin, if the row leaves a gap before each.
    fn sliced<'l>(&self, line: &'l str) -> Option<Vec<&'l str>> {
        let mut cells = Vec::new();
        for (index, &start) in self.starts.iter().enumerate() {
            let before = line.get(..start).unwrap_or(line);
            if index > 0 && !before.ends_with(char::is_whitespace) && start < line.len() {
                return None;
            }
            let end = self.starts.get(index + 1).copied().unwrap_or(line.len()).min(line.len());
            cells.push(line.get(start.min(end)..end)?.trim());
        }
        cells.iter().any(|cell| !cell.is_empty()).then_some(cells)
    }

    fn read_row(&self, cells: &[&str], line: usize, outer: &Object, readings: &mut Readings) {
        let own_name =
            cells.first().filter(|cell| cells.len() <= self.names.len() + 1 && cell.ends_with(':'));
        let (label, cells) = match own_name {
            Some(label) => (Some(label.trim_end_matches(':')), cells.get(1..).unwrap_or_default()),
            None => (None, cells),
        };
        if let ([key, value], true) = (cells, is_settings(&self.names)) {
            readings.push(outer, key, value, line);
            return;
        }
        let object = match label {
            Some(label) => outer.with(label),
            None => row_object(&self.names, cells, outer),
        };
        for (name, cell) in self.names.iter().zip(cells) {
            push_cell(&object, name, cell, line, readings);
        }
    }
}

/// Whether each row of a table is a field of one object: `Key` and `Value`.
pub(super) fn is_settings(names: &[&str]) -> bool {
    const KEYS: &[&str] =
        &["key", "variable_name", "setting", "property", "parameter", "attribute"];
    matches!(names, [key, value]
        if KEYS.contains(&key.to_lowercase().as_str()) && value.eq_ignore_ascii_case("value"))
}

/// What a row is about: its namespace, and the column that names it.
pub(super) fn row_object(names: &[&str], cells: &[&str], outer: &Object) -> Object {
    let cell = |wanted: &str| {
        let at = names.iter().position(|name| name.trim().eq_ignore_ascii_case(wanted))?;
        cells.get(at).copied().filter(|cell| !cell.is_empty())
    };
    let mut object =
        cell("namespace").map_or_else(|| outer.clone(), |namespace| outer.with(namespace));
    let own =
        ["NAME", "NAMES", "OBJECT", "Mounted on", "Device", "Local Address:Port", "Local Address"]
            .into_iter()
            .find_map(cell);
    if let Some(own) = own {
        if let Some(wider) = cell("POD").or_else(|| cell("Filesystem")) {
            object = object.with(wider);
        }
        return object.with(own);
    }
    if let (Some(pid), Some(command)) = (cell("PID"), cell("COMMAND").or_else(|| cell("CMD"))) {
        return object.with(command).with(pid);
    }
    let mut known: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let at = NAMES.iter().position(|one| one.eq_ignore_ascii_case(name.trim()))?;
            Some((at, cell(name)?))
        })
        .collect();
    known.sort_by_key(|name| name.0);
    if !known.is_empty() {
        return known.iter().fold(object, |object, name| object.with(name.1));
    }
    let mut ends = names.iter().zip(cells).filter(|(name, _)| names_its_map(name)).peekable();
    if ends.peek().is_some() {
        return ends.fold(object, |object, (_, cell)| object.with(cell));
    }
    match cells.first() {
        Some(first) if super::whole_quantity(first).is_none() => object.with(first),
        Some(first) if names.first().is_some_and(|name| numbers_rows(name)) => object.with(first),
        _ => object,
    }
}

/// Whether the numbers of a first column identify its rows.
fn numbers_rows(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.ends_with("id") || matches!(lower.as_str(), "revision" | "port" | "shard" | "no" | "#")
}

/// A cell; `5 (3m ago)` of kubectl's restarts is two readings.
pub(super) fn push_cell(
    object: &Object,
    name: &str,
    cell: &str,
    line: usize,
    readings: &mut Readings,
) {
    let split = cell.split_once(" (").filter(|(_, rest)| rest.ends_with(" ago)"));
    let share = cell.split_once(" (").filter(|(_, rest)| rest.ends_with("%)"));
    if let Some((amount, percent)) = share {
        readings.push(object, name, amount, line);
        readings.push(object, &format!("{name} percent"), percent.trim_end_matches(')'), line);
        return;
    }
    if let Some((count, ago)) = split {
        readings.push(object, name, count, line);
        let age = ago.trim_end_matches(" ago)");
        readings.push(object, &format!("last {} age", name.to_lowercase()), age, line);
    } else if let Some((used, limit)) = cell.split_once(" / ").filter(|_| name.contains(" / ")) {
        let (left, right) = name.split_once(" / ").unwrap_or((name, name));
        readings.push(object, left, used, line);
        readings.push(object, right, limit, line);
    } else {
        readings.push(object, name, cell, line);
    }
}
