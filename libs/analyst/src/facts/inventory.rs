//! Lists of file systems: tables with separators in which a row has a place and how much of it is in use, whatever the
//! columns are called and in whichever units.

use std::sync::LazyLock;

use regex::Regex;
use tarsy_evidence::{Node, Shape};

use super::host::{Mount, Place, Volume};
use super::model::{Facts, Source};
use crate::text::regex;

/// Separators of columns.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];
/// Columns of such a table.
const COLUMNS: std::ops::RangeInclusive<usize> = 2..=60;
/// File systems of images, which are always full.
const IMAGES: &[&str] =
    &["squashfs", "iso9660", "udf", "erofs", "cramfs", "cdfs", "devtmpfs", "overlay"];

/// Words of columns: the place, what names the machine, the type, what is left, in use, there in all, and what names a device.
const MOUNTS: &[&str] = &["mount", "mounted", "mountpoint", "target"];
const MACHINES: &[&str] = &[
    "host",
    "hostname",
    "host_name",
    "server",
    "machine",
    "node",
    "instance",
    "computer",
    "vm",
    "system_name",
    "computer_name",
    "ps_computer_name",
];
const KINDS: &[&str] = &["fstype", "type", "format", "fs_type", "file_system_type"];
const LEFT: &[&str] =
    &["free", "avail", "available", "remaining", "left", "freespace", "fsavail", "ifree", "iavail"];
const IN_USE: &[&str] =
    &["used", "use", "fsused", "fsuse", "consumed", "occupied", "iused", "iuse"];
const IN_ALL: &[&str] = &["size", "total", "capacity", "blocks", "fssize", "inodes"];
const INODES: &[&str] = &["inode", "inodes", "iuse", "iused", "ifree", "iavail"];
const DEVICES: &[&str] = &[
    "filesystem",
    "file_system",
    "device",
    "drive",
    "drive_letter",
    "disk",
    "name",
    "caption",
    "device_id",
    "partition",
    "source",
];
const PERCENT: &[&str] = &["percent", "pct", "percentage", "pcent", "perc"];
const PARTS: &[&str] = &["utilization", "utilisation", "usage", "ratio", "fraction"];

/// What a column or member holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    /// The mount point, the better place.
    Mount,
    /// A device, a drive, a name.
    Device,
    Machine,
    Kind,
    /// The share in use, or the share that is left.
    Used(Quantity),
    Free(Quantity),
    Whole(f64),
    Other,
}

/// In which a column counts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Quantity {
    Percent,
    /// From 0 to 1, or percent.
    Share,
    /// The bytes of one.
    Bytes(f64),
}

/// Cells with their columns and lines.
type Cells<'c> = Vec<(Column, &'c str, usize)>;

/// Adds the file systems that a result lists.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>) {
    let mut rows: Vec<Row> = Vec::new();
    let is_document = |node: &Node| !matches!(node.shape, Shape::Scalar(_));
    if documents.iter().any(is_document) {
        for node in documents {
            of_node(node, &mut rows);
        }
    } else {
        of_lines(source.lines, &mut rows);
    }
    let focus = facts.focus.clone();
    let is_named = |row: &Row| !row.machine.is_empty() && focus.mentions(&row.machine);
    let is_one_named = rows.iter().any(is_named);
    for row in rows {
        facts.host.listed.insert((source.result, row.line));
        let is_other = is_one_named && !row.machine.is_empty() && !is_named(&row)
            || crate::assertion::is_other_machine(&facts.focus, &[&row.machine]);
        if is_other || row.is_image() {
            continue;
        }
        let place = Place { result: source.result, line: row.line };
        let (space, inodes) = if row.of_inodes { (0.0, row.percent) } else { (row.percent, 0.0) };
        let path = row.path.clone();
        let mount = Mount { path, used_percent: space, inodes_used_percent: inodes, place };
        facts.host.mounts.push(mount);
        let Row { path, percent, of_inodes, text, .. } = row;
        facts.host.volumes.push(Volume { path, percent, of_inodes, text, place });
    }
}

/// A file system.
#[derive(Debug)]
struct Row {
    path: String,
    device: String,
    machine: String,
    kind: String,
    percent: f64,
    of_inodes: bool,
    /// The value that shows it, as the result has it.
    text: String,
    line: usize,
}

impl Row {
    fn is_image(&self) -> bool {
        let starts = |text: &str, heads: &[&str]| heads.iter().any(|head| text.starts_with(head));
        IMAGES.contains(&self.kind.to_lowercase().as_str())
            || starts(&self.device, &["/dev/loop", "loop", "/dev/sr", "sr0", "/dev/cdrom"])
            || starts(&self.path, &["/snap/", "/var/lib/snapd/snap/", "/media/cdrom"])
    }

    fn of(cells: &Cells<'_>, of_inodes: bool) -> Option<Self> {
        let text = |wanted: Column| {
            cells.iter().find(|(column, ..)| *column == wanted).map_or("", |(_, text, _)| *text)
        };
        let (mount, device) = (text(Column::Mount), text(Column::Device));
        let path = [mount, device].into_iter().find(|text| is_place(text))?;
        let (percent, shown, line) = percent(cells)?;
        let is_share = (0.0..=100.5).contains(&percent);
        is_share.then(|| Self {
            path: path.trim_end_matches('\\').to_owned(),
            device: device.to_owned(),
            machine: text(Column::Machine).to_owned(),
            kind: text(Column::Kind).to_owned(),
            percent: (percent * 10.0).round() / 10.0,
            of_inodes,
            text: shown,
            line,
        })
    }
}

/// A mount point, a device, or a drive of Windows.
fn is_place(text: &str) -> bool {
    static DRIVE: LazyLock<Regex> = regex!(r"^[A-Za-z]:\\?$");
    text.starts_with('/') || DRIVE.is_match(text)
}

/// How much is in use, with the value that shows it and its line: as the row has it, else of two amounts.
fn percent(cells: &Cells<'_>) -> Option<(f64, String, usize)> {
    let shares = cells.iter().find_map(|(column, text, line)| {
        let (quantity, is_free) = match column {
            Column::Used(quantity) => (*quantity, false),
            Column::Free(quantity) => (*quantity, true),
            _ => return None,
        };
        let share = share(text, quantity)?;
        Some((if is_free { 100.0 - share } else { share }, (*text).to_owned(), *line))
    });
    if shares.is_some() {
        return shares;
    }
    let amount = |is: &dyn Fn(Column) -> Option<f64>| {
        cells.iter().find_map(|(column, text, line)| {
            Some((amount(text, is(*column)?)?, (*text).to_owned(), *line))
        })
    };
    let used = amount(&|column| match column {
        Column::Used(Quantity::Bytes(unit)) => Some(unit),
        _ => None,
    });
    let free = amount(&|column| match column {
        Column::Free(Quantity::Bytes(unit)) => Some(unit),
        _ => None,
    });
    let whole = amount(&|column| match column {
        Column::Whole(unit) => Some(unit),
        _ => None,
    });
    match (used, free, whole) {
        // Some of the space is kept for the administrator, as `df` counts it.
        (Some((used, ..)), Some((free, text, line)), _) if used + free > 0.0 => {
            Some((100.0 * used / (used + free), text, line))
        }
        (Some((used, text, line)), None, Some((whole, ..))) if whole > 0.0 => {
            Some((100.0 * used / whole, text, line))
        }
        (None, Some((free, text, line)), Some((whole, ..))) if whole > 0.0 => {
            Some((100.0 * (1.0 - free / whole), text, line))
        }
        _ => None,
    }
}

/// `98%`, `98`, `98.1 %`; `0.98` where the column may hold parts of one.
fn share(text: &str, quantity: Quantity) -> Option<f64> {
    let number = text.trim_end_matches('%').trim().parse::<f64>().ok()?;
    match quantity {
        Quantity::Bytes(_) => None,
        Quantity::Share if !text.ends_with('%') && number <= 1.0 && text.contains('.') => {
            Some(number * 100.0)
        }
        Quantity::Percent | Quantity::Share => Some(number),
    }
}

/// `40G`, `39.6 GiB`, `10,255,636`, in bytes; a number without a unit counts in that of its column.
fn amount(text: &str, unit: f64) -> Option<f64> {
    static AMOUNT: LazyLock<Regex> =
        regex!(r"(?i)^(?P<number>\d[\d,]*(?:\.\d+)?)\s*(?P<unit>[kmgtp]?)(?:i?b(?:ytes?)?)?$");
    let found = AMOUNT.captures(text.trim())?;
    let part = |name| found.name(name).map_or("", |part| part.as_str());
    let number: f64 = part("number").replace(',', "").parse().ok()?;
    Some(number * if part("unit").is_empty() { unit } else { scale(part("unit")) })
}

/// The bytes of `k`, `M`, `G`, `T`, `P`; within a row it is the same whether they are powers of 1000 or of 1024.
fn scale(unit: &str) -> f64 {
    let power = "kmgtp".find(&unit.to_lowercase()).map_or(0, |at| at + 1);
    (0..power).fold(1.0, |scale, _| scale * 1_024.0)
}

/// What a column holds, by its name, and whether it counts inodes.
fn column(name: &str) -> (Column, bool) {
    static UNIT: LazyLock<Regex> = regex!(
        r"(?:^|[_ (\[./-])(?P<unit>[kmgtp]?)(?:i?b|[kmgtp]ib|bytes)\)?\]?(?:$|_(?:used|free|total|avail\w*))|^bytes_"
    );
    let has_sign = name.contains('%');
    let name = crate::alert::snake(name.trim());
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let is = |list: &[&str]| list.contains(&words.join("_").as_str());
    let unit = UNIT.captures(&name).and_then(|found| found.name("unit"));
    let unit = unit.map_or(1.0, |unit| scale(unit.as_str()));
    let is_share = has_sign || has(PERCENT);
    let quantity = match () {
        () if is_share => Quantity::Percent,
        () if has(PARTS) => Quantity::Share,
        () => Quantity::Bytes(unit),
    };
    let column = match () {
        () if has(MOUNTS) => Column::Mount,
        () if is(KINDS) => Column::Kind,
        () if is(MACHINES) => Column::Machine,
        () if has(LEFT) => Column::Free(quantity),
        () if is_share || has(IN_USE) || has(PARTS) => Column::Used(quantity),
        () if has(IN_ALL) => Column::Whole(unit),
        () if is(&["path", "volume"]) => Column::Mount,
        () if is(DEVICES) => Column::Device,
        () => Column::Other,
    };
    (column, has(INODES))
}

/// The rows below a heading of such a table.
fn of_lines(lines: &[String], rows: &mut Vec<Row>) {
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let heading = SEPARATORS.into_iter().find_map(|one| Some((one, heading(line, one)?)));
        let Some((separator, columns)) = heading else { continue };
        while let Some(line) = lines.get(at) {
            let texts = split(line, separator);
            let is_ruler = line.bytes().all(|byte| b"-+|: ".contains(&byte)) && line.len() > 2;
            if texts.len() != columns.len() && !is_ruler {
                break;
            }
            at += 1;
            let inodes = columns.iter().any(|(_, of_inodes)| *of_inodes);
            let cells = columns.iter().zip(&texts);
            let cells: Cells<'_> = cells
                .map(|((column, _), text)| (with_sign(*column, text), text.as_str(), at))
                .collect();
            rows.extend(Row::of(&cells, inodes));
        }
    }
}

/// A share that only its cells show: `Capacity` of `df -P`, `Use%`.
fn with_sign(column: Column, text: &str) -> Column {
    let is_percent = text.ends_with('%');
    match column {
        Column::Whole(_) | Column::Used(_) if is_percent => Column::Used(Quantity::Percent),
        Column::Free(_) if is_percent => Column::Free(Quantity::Percent),
        other => other,
    }
}

/// The columns of a line that can be the heading of such a table.
fn heading(line: &str, separator: char) -> Option<Vec<(Column, bool)>> {
    let names = split(line, separator);
    let is_name = |name: &String| name.len() <= 40 && name.contains(|c: char| c.is_alphabetic());
    if !COLUMNS.contains(&names.len()) || !names.iter().all(|name| name.is_empty() || is_name(name))
    {
        return None;
    }
    let columns: Vec<(Column, bool)> = names.iter().map(|name| column(name)).collect();
    let any = |is: &dyn Fn(&Column) -> bool| columns.iter().any(|(column, _)| is(column));
    let has_place = any(&|one| matches!(one, Column::Mount | Column::Device));
    let has_use = any(&|one| matches!(one, Column::Used(_) | Column::Free(_)));
    (has_place && has_use).then_some(columns)
}

/// The cells of a line; between quotation marks a separator is text.
fn split(line: &str, separator: char) -> Vec<String> {
    let mut is_quoted = false;
    let separates = |c: char| {
        is_quoted ^= c == '"';
        c == separator && !is_quoted
    };
    let line = line.trim().trim_matches(|c| separator == '|' && c == '|');
    line.split(separates).map(|cell| cell.trim().trim_matches('"').trim().to_owned()).collect()
}

/// Objects of documents that have the place and amounts; those with a share are read as measures.
fn of_node(node: &Node, rows: &mut Vec<Row>) {
    node.items().iter().for_each(|item| of_node(item, rows));
    let entries = node.entries();
    let mut of_inodes = false;
    let mut cells: Cells<'_> = Vec::new();
    for entry in entries {
        if let Some(text) = entry.value.text() {
            let (column, inodes) = column(&entry.key);
            of_inodes |= inodes;
            cells.push((column, text, entry.value.line));
        }
        of_node(&entry.value, rows);
    }
    let has_share = cells.iter().any(|(column, ..)| {
        matches!(
            column,
            Column::Used(Quantity::Percent | Quantity::Share) | Column::Free(Quantity::Percent)
        )
    });
    let has_machine = cells.iter().any(|(column, ..)| *column == Column::Machine);
    if !of_inodes && (!has_share || has_machine) {
        rows.extend(Row::of(&cells, false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, f64)> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut rows = Vec::new();
        of_lines(&lines, &mut rows);
        rows.into_iter().map(|row| (row.path, row.percent)).collect()
    }

    #[test]
    fn file_systems_are_listed_with_any_columns_and_units() {
        for text in [
            "filesystem,size,used,avail,use%,mounted\n/dev/sdb1,100G,98G,2.0G,98%,/data\n",
            "mount_point,total_gb,used_gb\n/data,100,98\n",
            "Mountpoint;Size (GiB);Available (GiB)\n/data;100;2\n",
            "\"Filesystem\",\"1K-blocks\",\"Used\",\"Available\",\"Capacity\",\"Mounted on\"\n\"/dev/sdb1\",\"1,000,000\",\"980,000\",\"20,000\",\"98%\",\"/data\"\n",
            "mount,utilization\n/data,0.98\n",
            "path\tfree_pct\n/data\t2\n",
            "| device | mount | used % |\n|---|---|---|\n| sdb1 | /data | 98 |\n",
            "mountpoint,size_bytes,free_bytes\n/data,1000,20\n",
        ] {
            assert_eq!(read(text), [("/data".to_owned(), 98.0)], "{text}");
        }
    }

    #[test]
    fn other_tables_list_no_file_systems() {
        for text in [
            "name,size,used,free\ncart,10,10,0\n",
            "path,method,count\n/orders,GET,100\n",
            "time,used\n2026-05-01T10:00:00Z,99\n",
            "a sentence, with used space, of a disk\nand, another, one\n",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
