//! What was measured, as one table of ratios.

use std::time::Duration;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};

use crate::samples::Samples;

/// A ratio above this one is explained.
const WORTH_A_WORD: f64 = 3.0;
/// Wide enough for the reasons.
const WIDTH: u16 = 160;

/// What one side of a row measured.
#[derive(Clone, Debug)]
pub(crate) enum Measure {
    /// How long it took, many times.
    Latency(Samples),
    /// How many a second.
    Rate(f64),
    /// How many bytes a second.
    Throughput(f64),
    /// How much memory, in KiB.
    Memory(u64),
    /// How much time of a processor.
    Processor(Duration),
    /// How many times the least the most is.
    Spread(f64),
    /// What a page has measured, in its own unit.
    Page(f64, String),
}

impl Measure {
    fn text(&self) -> String {
        match self {
            Self::Latency(samples) => {
                let (p50, p99) = (samples.percentile(50), samples.percentile(99));
                format!("{} / {} ms  (n={})", millis(p50), millis(p99), samples.len())
            }
            Self::Rate(rate) => format!("{rate:.0} / s"),
            Self::Throughput(bytes) => format!("{:.1} MiB / s", bytes / 1024.0 / 1024.0),
            Self::Page(value, unit) => format!("{value} {unit}"),
            Self::Processor(time) => format!("{} ms", millis(*time)),
            Self::Spread(times) => format!("{times:.2}"),
            Self::Memory(kib) if *kib < 1024 => format!("{kib} KiB"),
            Self::Memory(kib) => format!("{}.{} MiB", kib / 1024, kib % 1024 * 10 / 1024),
        }
    }

    /// How much worse this is than the other: at the median or in all, and at the tail.
    fn worse_than(&self, other: &Self) -> Vec<f64> {
        match (self, other) {
            (Self::Latency(mine), Self::Latency(theirs)) => [50, 99]
                .map(|percent| {
                    let theirs = theirs.percentile(percent).as_secs_f64().max(f64::EPSILON);
                    mine.percentile(percent).as_secs_f64() / theirs
                })
                .to_vec(),
            (Self::Rate(mine), Self::Rate(theirs))
            | (Self::Throughput(mine), Self::Throughput(theirs)) => {
                vec![theirs / mine.max(f64::EPSILON)]
            }
            _ => Vec::new(),
        }
    }
}

/// One path.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// From where to where.
    pub(crate) path: String,
    /// Through the product.
    pub(crate) product: Measure,
    /// Through nothing but the primitive.
    pub(crate) raw: Option<(&'static str, Measure)>,
    /// Where the time goes, should it be much more.
    pub(crate) why: String,
    /// Where it goes if only the slowest are much slower.
    pub(crate) why_tail: String,
}

impl Row {
    /// A path that no primitive stands beside.
    pub(crate) fn alone(path: impl Into<String>, product: Measure) -> Self {
        let path = path.into();
        Self { path, product, raw: None, why: String::new(), why_tail: String::new() }
    }

    fn cells(&self) -> [String; 5] {
        let raw = self.raw.as_ref();
        let ratios = raw.map(|(_, raw)| self.product.worse_than(raw)).unwrap_or_default();
        let ratio: Vec<String> = ratios.iter().map(|ratio| format_ratio(*ratio)).collect();
        [
            self.path.clone(),
            self.product.text(),
            raw.map_or_else(dash, |(name, raw)| format!("{}\n{name}", raw.text())),
            if ratio.is_empty() { dash() } else { ratio.join(" / ") },
            self.reason(&ratios).to_owned(),
        ]
    }

    /// The reason, where one is owed.
    fn reason(&self, ratios: &[f64]) -> &str {
        match ratios {
            [first, ..] if *first > WORTH_A_WORD => &self.why,
            [_, tail] if *tail > WORTH_A_WORD => &self.why_tail,
            _ => "",
        }
    }
}

/// A ratio; a small one with as many digits as mean something.
fn format_ratio(ratio: f64) -> String {
    if ratio < 0.1 { format!("{ratio:.3}") } else { format!("{ratio:.1}") }
}

fn dash() -> String {
    "-".to_owned()
}

/// Milliseconds, with as many digits as mean something.
pub(crate) fn millis(duration: Duration) -> String {
    let millis = duration.as_secs_f64() * 1000.0;
    if millis < 10.0 { format!("{millis:.2}") } else { format!("{millis:.1}") }
}

/// The table of the parts' rows.
pub(crate) fn draw(rows: &[(&'static str, Row)]) -> String {
    let mut table = Table::new();
    table
        .load_style(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .set_header([
            "part",
            "path",
            "product: p50 / p99",
            "raw primitive: p50 / p99",
            "ratio",
            "why",
        ])
        .add_rows(rows.iter().map(|(part, row)| {
            std::iter::once((*part).to_owned()).chain(row.cells()).collect::<Vec<_>>()
        }));
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency(median: u64, slowest: u64) -> Measure {
        let mut samples = Samples::default();
        for _ in 0..90 {
            samples.push(Duration::from_millis(median));
        }
        for _ in 0..10 {
            samples.push(Duration::from_millis(slowest));
        }
        Measure::Latency(samples)
    }

    fn row(product: Measure, raw: Measure) -> Row {
        let raw = Some(("raw", raw));
        let (why, why_tail) = ("why".to_owned(), "tail".to_owned());
        Row { path: "path".to_owned(), product, raw, why, why_tail }
    }

    #[test]
    fn only_a_ratio_above_three_is_explained() {
        assert_eq!(row(latency(3, 30), latency(1, 10)).cells()[3..], ["3.0 / 3.0", ""]);
        assert_eq!(row(latency(4, 10), latency(1, 10)).cells()[3..], ["4.0 / 1.0", "why"]);
        assert_eq!(row(latency(1, 40), latency(1, 10)).cells()[3..], ["1.0 / 4.0", "tail"]);
    }

    #[test]
    fn a_rate_is_worse_when_it_is_lower() {
        let row = row(Measure::Rate(100.0), Measure::Rate(400.0));
        assert_eq!(row.cells()[1..], ["100 / s", "400 / s\nraw", "4.0", "why"]);
    }

    #[test]
    fn what_has_no_primitive_has_no_ratio() {
        let row = Row { raw: None, ..row(Measure::Memory(2560), Measure::Memory(1)) };
        assert_eq!(row.cells()[1..], ["2.5 MiB", "-", "-", ""]);
    }
}
