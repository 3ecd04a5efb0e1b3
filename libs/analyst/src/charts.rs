//! The values over time that a verdict rests on, as charts.

use std::cmp::Reverse;

use tarsy_domain::verdict::{
    Chart, ChartChange, ChartPoint, Evidence, MAX_CHART_POINTS, MAX_CHARTS,
};

use crate::change::{Change, median};
use crate::facts::{Series, series_of};
use crate::transcript::CallRecord;

/// The charts of a cause: of the series in the results that its evidence cites those that cause or evidence name, else those
/// whose level changed; what changed most first.
pub fn charts(cause: &str, evidence: &[Evidence], calls: &[CallRecord]) -> Vec<Chart> {
    let cited = calls.iter().filter(|call| evidence.iter().any(|one| one.call == call.number));
    let cited: Vec<CallRecord> = cited.cloned().collect();
    let mut found: Vec<Candidate> = series_of(&cited)
        .into_iter()
        .map(|(call, series)| Candidate::new(call, series, cause, evidence))
        .filter(|one| one.is_named || one.change.is_some())
        .collect();
    if found.iter().any(|one| one.is_named) {
        found.retain(|one| one.is_named);
    }
    found.sort_by(|one, other| {
        Reverse(one.is_of_named_object)
            .cmp(&Reverse(other.is_of_named_object))
            .then_with(|| other.moved().total_cmp(&one.moved()))
    });
    let mut charts: Vec<Chart> = Vec::new();
    for one in found {
        let is_known =
            |chart: &Chart| chart.metric == one.series.name && chart.object == one.series.object;
        if charts.len() < MAX_CHARTS && !charts.iter().any(is_known) {
            charts.push(one.chart());
        }
    }
    charts
}

struct Candidate {
    call: u32,
    series: Series,
    change: Option<Change>,
    is_named: bool,
    is_of_named_object: bool,
}

impl Candidate {
    fn new(call: u32, series: Series, cause: &str, evidence: &[Evidence]) -> Self {
        let lines = || evidence.iter().filter(|one| one.call == call).map(|one| one.text.as_str());
        let names = |name: &str| {
            !name.is_empty() && (cause.contains(name) || lines().any(|line| line.contains(name)))
        };
        let (is_named, is_of_named_object) = (names(&series.name), names(&series.object));
        Self { call, change: Change::of(&series), is_named, is_of_named_object, series }
    }

    /// By how much its level changed, as a share of the larger one; from 0 to 2.
    fn moved(&self) -> f64 {
        self.change.map_or(0.0, |change| {
            let larger = change.before.abs().max(change.behind.abs());
            (change.behind - change.before).abs() / larger.max(f64::MIN_POSITIVE)
        })
    }

    fn chart(self) -> Chart {
        let at = self.change.and_then(|change| self.series.points.get(change.at));
        let change = self.change.zip(at).map(|(change, point)| ChartChange {
            at: point.at,
            before: change.before,
            after: change.behind,
        });
        Chart {
            call: self.call,
            points: thinned(&self.series),
            metric: self.series.name,
            object: self.series.object,
            unit: self.series.unit,
            change,
        }
    }
}

/// The points of a chart: of each run of neighbours the one farthest from the middle, so that peaks stay; the last one always.
fn thinned(series: &Series) -> Vec<ChartPoint> {
    let middle = median(&series.points.iter().map(|point| point.value).collect::<Vec<_>>());
    let run = series.points.len().div_ceil(MAX_CHART_POINTS).max(1);
    let far = |value: f64| (value - middle).abs();
    let mut points: Vec<ChartPoint> = series
        .points
        .chunks(run)
        .filter_map(|run| {
            run.iter().max_by(|one, other| far(one.value).total_cmp(&far(other.value)))
        })
        .map(|point| ChartPoint { at: point.at, value: point.value })
        .collect();
    if let (Some(last), Some(newest)) = (points.last_mut(), series.points.last()) {
        *last = ChartPoint { at: newest.at, value: newest.value };
    }
    points
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A call whose result has the values of metrics, one a minute.
    fn call(number: u32, metrics: &[(&str, &[f64])]) -> CallRecord {
        let of = |(name, values): &(&str, &[f64])| {
            let pairs: Vec<String> = (0..)
                .zip(*values)
                .map(|(at, value)| format!("[{}, \"{value}\"]", 1_772_359_200 + at * 60))
                .collect();
            format!(
                r#"{{"metric": {{"__name__": "{name}", "instance": "db-2:9104"}}, "values": [{}]}}"#,
                pairs.join(", ")
            )
        };
        let all: Vec<String> = metrics.iter().map(of).collect();
        CallRecord {
            number,
            tool: "metrics.query_range".to_owned(),
            arguments: json!({}),
            text: format!(r#"{{"resultType": "matrix", "result": [{}]}}"#, all.join(",\n")),
            failed: false,
        }
    }

    fn line(call: u32, text: &str) -> Evidence {
        Evidence { call, line: 1, text: text.to_owned() }
    }

    fn metrics(charts: &[Chart]) -> Vec<&str> {
        charts.iter().map(|chart| chart.metric.as_str()).collect()
    }

    const RISES: &[f64] = &[1.0, 2.0, 1.0, 1.0, 60.0, 61.0, 60.0, 62.0];
    const FLAT: &[f64] = &[5.0, 5.1, 5.0, 5.2, 5.0, 5.1, 5.0, 5.1];

    #[test]
    fn what_the_evidence_names_is_drawn_and_what_it_does_not_cite_is_not() {
        let calls = [
            call(1, &[("lag_seconds", RISES), ("sessions", RISES)]),
            call(2, &[("lag_seconds", RISES)]),
        ];
        let drawn =
            charts("the replica is behind", &[line(1, r#""__name__": "lag_seconds""#)], &calls);
        let [chart] = drawn.as_slice() else { panic!("{drawn:?}") };
        assert_eq!(
            (chart.call, chart.metric.as_str(), chart.object.as_str()),
            (1, "lag_seconds", "db-2")
        );
        let change = chart.change.unwrap();
        assert_eq!((change.before, change.at), (1.0, chart.points[4].at));
        let by_cause = charts("`sessions` rose", &[line(1, "a line")], &calls);
        assert_eq!(metrics(&by_cause), ["sessions"]);
        assert!(charts("`sessions` rose", &[], &calls).is_empty());
    }

    #[test]
    fn without_a_name_only_what_changed_is_drawn() {
        let calls = [call(4, &[("a", FLAT), ("b", RISES)])];
        assert_eq!(metrics(&charts("it is slow", &[line(4, "x")], &calls)), ["b"]);
        let failed = CallRecord { failed: true, ..calls[0].clone() };
        assert!(charts("it is slow", &[line(4, "x")], &[failed]).is_empty());
    }

    #[test]
    fn a_long_series_keeps_its_peak_and_its_end() {
        let mut values = vec![10.0; 1_000];
        values[503] = 900.0;
        values[999] = 11.0;
        let drawn = charts("`m` peaked", &[line(1, "x")], &[call(1, &[("m", &values)])]);
        let points = &drawn[0].points;
        assert!(points.len() <= MAX_CHART_POINTS, "{}", points.len());
        assert!(points.iter().any(|point| point.value > 899.0));
        assert!((points.last().unwrap().value - 11.0).abs() < f64::EPSILON);
        assert!(points.is_sorted_by_key(|point| point.at));
    }
}
