//! Values over time that a verdict rests on.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most charts of a verdict.
pub const MAX_CHARTS: usize = 3;
/// The most points of a chart: more cannot be told apart at the width of a page.
pub const MAX_CHART_POINTS: usize = 120;

/// One metric over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictChart)]
#[schemars(rename = "VerdictChart")]
pub struct Chart {
    /// The number of the call in the session, from 1.
    pub call: u32,
    /// The name of the metric, or the query for it.
    pub metric: String,
    /// Empty if the result names none.
    pub object: String,
    /// As the result writes it; empty if it writes none.
    pub unit: String,
    /// In the order of time. Of a long series each point stands for several: the one farthest from the middle of all.
    pub points: Vec<ChartPoint>,
    /// None if its level did not change.
    pub change: Option<ChartChange>,
}

/// A value at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictChartPoint)]
#[schemars(rename = "VerdictChartPoint")]
pub struct ChartPoint {
    #[schemars(with = "String")]
    pub at: Timestamp,
    pub value: f64,
}

/// A change of a metric's level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictChartChange)]
#[schemars(rename = "VerdictChartChange")]
pub struct ChartChange {
    #[schemars(with = "String")]
    pub at: Timestamp,
    pub before: f64,
    pub after: f64,
}

impl Chart {
    /// `` `cpu_percent` of db-1: 12 → 96 Percent since 2026-03-01T10:00:00Z ``; without a change the first and the last value.
    pub fn describe(&self) -> String {
        let of =
            if self.object.is_empty() { String::new() } else { format!(" of {}", self.object) };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let ends = self.points.first().zip(self.points.last());
        let (from, to, since) = match (self.change, ends) {
            (Some(change), _) => (change.before, change.after, format!(" since {}", change.at)),
            (None, Some((first, last))) => (first.value, last.value, String::new()),
            (None, None) => return format!("`{}`{of}", self.metric),
        };
        format!("`{}`{of}: {} → {}{unit}{since}", self.metric, short(from), short(to))
    }
}

/// Three significant digits at least, and no more decimals than a value of that size needs.
fn short(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(change: Option<ChartChange>, values: &[f64]) -> Chart {
        let at: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
        Chart {
            call: 3,
            metric: "cpu_percent".to_owned(),
            object: "db-1".to_owned(),
            unit: "Percent".to_owned(),
            points: values.iter().map(|&value| ChartPoint { at, value }).collect(),
            change,
        }
    }

    #[test]
    fn a_chart_is_described_by_its_change_or_its_ends() {
        let at = "2026-03-01T10:00:00Z".parse().unwrap();
        let change = ChartChange { at, before: 12.04, after: 96.25 };
        assert_eq!(
            chart(Some(change), &[12.0, 96.0]).describe(),
            "`cpu_percent` of db-1: 12 → 96.2 Percent since 2026-03-01T10:00:00Z"
        );
        let plain = Chart {
            object: String::new(),
            unit: String::new(),
            ..chart(None, &[0.02, 1_234_567.8])
        };
        assert_eq!(plain.describe(), "`cpu_percent`: 0.02 → 1234568");
        assert_eq!(chart(None, &[]).describe(), "`cpu_percent` of db-1");
    }
}
