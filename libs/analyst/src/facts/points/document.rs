//! Series of documents: lists of times beside lists of values, matrices, lists of points, rows with a time, columns by name.

use std::collections::BTreeMap;

use tarsy_evidence::{Entry, Node, Shape};

use super::columns;
use super::keys::{TIMES, VALUES, machine_of, name_node, name_of, object_of, of_nodes, text_of};
use crate::facts::series::{LEAST_POINTS, MOST_SERIES, Point, Series};

const UNITS: &[&str] = &["unit", "Unit", "units"];
/// Keys of the times and the values of a series, as lists, and of its points.
const TIME_LISTS: &[&str] = &["timestamps", "Timestamps", "times", "time"];
const VALUE_LISTS: &[&str] = &["values", "Values", "value", "data"];
const POINT_LISTS: &[&str] = &[
    "datapoints",
    "Datapoints",
    "DataPoints",
    "dataPoints",
    "points",
    "pointlist",
    "values",
    "data",
    "samples",
    "history",
];
/// Keys whose member of a point holds its time or its value one level deeper.
const NESTED: &[&[&str]] = &[
    &["interval", "endTime"],
    &["interval", "end_time"],
    &["value", "doubleValue"],
    &["value", "double_value"],
    &["value", "int64Value"],
    &["value", "int64_value"],
];

/// Keys that name no metric.
const WRAPPERS: &[&str] = &[
    "result",
    "results",
    "data",
    "series",
    "timeseries",
    "timeSeries",
    "value",
    "response",
    "points",
    "rows",
    "metrics",
    "datapoints",
    "history",
    "samples",
];

/// What the maps around a series name.
#[derive(Clone, Copy, Default)]
struct Around<'n> {
    name: &'n str,
    object: &'n str,
    unit: &'n str,
}

pub(super) fn read(documents: &[Node], result: usize) -> Vec<Series> {
    let mut found = Vec::new();
    for node in documents {
        walk(node, Around::default(), result, &mut found);
    }
    found
}

fn walk<'n>(node: &'n Node, around: Around<'n>, result: usize, found: &mut Vec<Series>) {
    if found.len() >= MOST_SERIES {
        return;
    }
    match &node.shape {
        Shape::Scalar(_) => {}
        Shape::List(items) => {
            let series = of_rows(items, around, result);
            if series.is_empty() {
                for item in items {
                    walk(item, around, result, found);
                }
            }
            found.extend(series);
        }
        Shape::Map(entries) => {
            let object = object_of(node).unwrap_or(around.object);
            let unit = unit_of(node).unwrap_or(around.unit);
            if let Some(points) = parallel(node).or_else(|| listed(node)) {
                let own = name_node(node);
                let name = own.and_then(Node::text).unwrap_or(around.name);
                let line = own.unwrap_or(node).line;
                let series = Label { name, object, unit, line }.series(points, result);
                found.push(Series { machine: machine_of(node).to_owned(), ..series });
                return;
            }
            let columns = columns::read(node);
            if !columns.is_empty() {
                found.extend(columns.into_iter().map(|column| {
                    let name = column.name.or(name_of(node)).unwrap_or(around.name);
                    let object = column.object.unwrap_or(object);
                    Label { name, object, unit, line: node.line }.series(column.points, result)
                }));
                return;
            }
            let own = name_of(node);
            for Entry { key, value } in entries {
                let name =
                    if WRAPPERS.contains(&key.as_str()) { around.name } else { key.as_str() };
                walk(value, Around { name: own.unwrap_or(name), object, unit }, result, found);
            }
        }
    }
}

/// What a series is called.
#[derive(Clone, Copy)]
struct Label<'n> {
    name: &'n str,
    object: &'n str,
    unit: &'n str,
    line: usize,
}

impl Label<'_> {
    fn series(&self, points: Vec<Point>, result: usize) -> Series {
        let (name, object) = (self.name.to_owned(), self.object.to_owned());
        let (unit, machine) = (self.unit.to_owned(), String::new());
        Series { name, object, machine, unit, points, line: self.line, result }
    }
}

fn first<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Node> {
    keys.iter().find_map(|key| node.get(key))
}

/// A list of times beside one of values.
fn parallel(node: &Node) -> Option<Vec<Point>> {
    let times = first(node, TIME_LISTS)?.items();
    let values = first(node, VALUE_LISTS)?.items();
    let pairs = times.iter().zip(values);
    let points: Vec<Point> = pairs.filter_map(|(time, value)| of_nodes(time, value)).collect();
    (points.len() >= LEAST_POINTS).then_some(points)
}

/// A list of points, as pairs or as maps.
fn listed(node: &Node) -> Option<Vec<Point>> {
    let of = |key: &&str| Some(of_items(node.get(key)?.items()));
    POINT_LISTS.iter().filter_map(of).find(|points| points.len() >= LEAST_POINTS)
}

/// Prometheus writes the time first, Graphite the value; a value may look like a time, but does not go on like one.
fn of_items(items: &[Node]) -> Vec<Point> {
    let pairs = |is_time_first: bool| {
        let of = |item: &Node| match item.items() {
            [one, other] if is_time_first => of_nodes(one, other),
            [one, other] => of_nodes(other, one),
            _ => of_nodes(time_of(item)?, value_of(item)?),
        };
        items.iter().filter_map(of).collect::<Vec<Point>>()
    };
    let goes_on = |points: &[Point]| {
        let times = || points.iter().map(|point| point.at);
        times().is_sorted_by(|one, other| one < other)
            || times().is_sorted_by(|one, other| one > other)
    };
    let first = pairs(true);
    if !first.is_empty() && goes_on(&first) { first } else { pairs(false) }
}

fn nested<'n>(item: &'n Node, key: &str) -> Option<&'n Node> {
    NESTED.iter().filter(|path| path.first() == Some(&key)).find_map(|path| item.at(path))
}

fn time_of(item: &Node) -> Option<&Node> {
    let own = first(item, TIMES).filter(|time| time.text().is_some());
    own.or_else(|| nested(item, "interval"))
}

fn value_of(item: &Node) -> Option<&Node> {
    let own = VALUES.iter().find_map(|key| item.get(key).filter(|value| value.text().is_some()));
    own.or_else(|| nested(item, "value"))
}

/// Rows with a time: a series for each other member that is a number, or for each name that rows have. Pairs are one series,
/// named by the key of their list.
fn of_rows(items: &[Node], around: Around<'_>, result: usize) -> Vec<Series> {
    let Some(head) = items.first().filter(|_| items.len() >= LEAST_POINTS) else {
        return Vec::new();
    };
    let (name, object, line) = (around.name, around.object, head.line);
    let unit = around.unit;
    let of = |name, points| Label { name, object, unit, line }.series(points, result);
    if !name.is_empty() && items.iter().all(|item| item.items().len() == 2) {
        return vec![of(name, of_items(items))];
    }
    if time_of(head).is_none() {
        return Vec::new();
    }
    if name_of(head).is_some() {
        return of_named_rows(items, around, result);
    }
    let is_value = |entry: &&Entry| !TIMES.contains(&entry.key.as_str());
    let columns = head.entries().iter().filter(is_value).map(|Entry { key, .. }| {
        let points = items.iter().filter_map(|item| of_nodes(time_of(item)?, item.get(key)?));
        let name = if VALUES.contains(&key.as_str()) { name } else { key.as_str() };
        of(name, points.collect())
    });
    columns.filter(|column| column.points.len() >= LEAST_POINTS).collect()
}

/// A series for each pair of a name and an object.
fn of_named_rows(items: &[Node], around: Around<'_>, result: usize) -> Vec<Series> {
    let mut groups: BTreeMap<(&str, &str), (usize, Vec<Point>)> = BTreeMap::new();
    for item in items {
        let point = time_of(item).zip(value_of(item));
        let point = point.and_then(|(time, value)| of_nodes(time, value));
        if let (Some(name), Some(point)) = (name_of(item), point) {
            let object = object_of(item).unwrap_or(around.object);
            groups.entry((name, object)).or_insert((item.line, Vec::new())).1.push(point);
        }
    }
    let series = groups.into_iter().map(|((name, object), (line, points))| {
        Label { name, object, unit: around.unit, line }.series(points, result)
    });
    series.collect()
}

/// The unit beside a series, or of its first point.
fn unit_of(node: &Node) -> Option<&str> {
    let of_point = || text_of(first(node, POINT_LISTS)?.items().first()?, UNITS);
    text_of(node, UNITS).or_else(of_point)
}

#[cfg(test)]
mod tests {
    use crate::facts::points::tests::series;

    fn joined(of: impl Fn(usize) -> String) -> String {
        (0..6).map(of).collect::<Vec<_>>().join(", ")
    }

    fn time(at: usize) -> String {
        format!("\"2026-03-01T10:0{at}:00Z\"")
    }

    /// Checks texts with one series each: name, object, unit; the last value is 5.5.
    fn check(cases: &[(String, &str, &str, &str)]) {
        for (text, name, object, unit) in cases {
            let found = series(text);
            let [one] = found.as_slice() else { panic!("{text}: {found:?}") };
            let label = (one.name.as_str(), one.object.as_str(), one.unit.as_str());
            assert_eq!(label, (*name, *object, *unit), "{text}");
            assert_eq!(one.points.last().map(|point| point.text.as_str()), Some("5.5"), "{text}");
        }
    }

    #[test]
    fn lists_of_times_and_points_are_read() {
        let times = joined(time);
        let values = joined(|at| format!("{at}.5"));
        let pairs = |of: &dyn Fn(usize) -> String| joined(|at| format!("[{}]", of(at)));
        let matrix = pairs(&|at| format!("17723592{at}0.1, \"{at}.5\""));
        let large = |at: usize| if at < 5 { "2e12" } else { "5.5" };
        let graphite = pairs(&|at| format!("{}, 17723592{at}0", large(at)));
        check(&[
            (
                format!(
                    r#"{{"metric_data_results": [{{"id": "m1", "label": "Lag", "dimensions": [{{"Name": "Db", "Value": "a"}}],
                    "unit": "Seconds", "timestamps": [{times}], "values": [{values}]}}]}}"#
                ),
                "Lag",
                "a",
                "Seconds",
            ),
            (
                format!(
                    r#"{{"Label": "Lag", "Datapoints": [{}]}}"#,
                    joined(|at| format!(
                        r#"{{"Timestamp": {}, "Average": {at}.5, "Unit": "Percent"}}"#,
                        time(at)
                    ))
                ),
                "Lag",
                "",
                "Percent",
            ),
            (
                format!(
                    r#"[{{"metric": {{"__name__": "up", "instance": "a:1", "job": "x"}}, "values": [{matrix}]}}]"#
                ),
                "up",
                "a",
                "",
            ),
            (format!(r#"[{{"target": "lag", "datapoints": [{graphite}]}}]"#), "lag", "", ""),
            (
                format!(
                    r#"{{"series": [{{"metric": "sys.cpu", "scope": "host:a", "pointlist": [{}]}}]}}"#,
                    pairs(&|at| format!("17723592{at}0000.0, {at}.5"))
                ),
                "sys.cpu",
                "a",
                "",
            ),
            (
                format!(
                    r#"{{"data": {{"attributes": {{"series": [{{"group_tags": ["a"]}}], "times": [{}], "values": [[{values}]]}}}}}}"#,
                    joined(|at| format!("17723592{at}0000"))
                ),
                "a",
                "",
                "",
            ),
        ]);
    }

    #[test]
    fn columns_and_values_in_other_maps_are_read() {
        let values = joined(|at| format!("{at}.5"));
        let pairs = |of: &dyn Fn(usize) -> String| joined(|at| format!("[{}]", of(at)));
        let matrix = pairs(&|at| format!("17723592{at}0.1, \"{at}.5\""));
        let point = |key: &str, value: &str| {
            joined(|at| format!("{{\"{key}\": {}, \"{value}\": {at}.5}}", time(at)))
        };
        check(&[
            (
                format!(
                    r#"{{"results": [{{"series": [{{"name": "lag", "columns": ["time", "value"], "values": [{}]}}]}}]}}"#,
                    pairs(&|at| format!("{}, {at}.5", time(at)))
                ),
                "lag",
                "",
                "",
            ),
            (
                format!(
                    r#"{{"results": {{"A": {{"frames": [{{"schema": {{"fields": [{{"name": "Time"}},
                    {{"name": "lag", "labels": {{"instance": "a"}}}}]}}, "data": {{"values": [[{}], [{values}]]}}}}]}}}}}}"#,
                    joined(|at| format!("17723592{at}0000"))
                ),
                "lag",
                "a",
                "",
            ),
            (
                format!(
                    r#"{{"value": [{{"name": {{"value": "cpu_percent"}}, "unit": "Percent",
                    "timeseries": [{{"data": [{}]}}]}}]}}"#,
                    point("timeStamp", "average")
                ),
                "cpu_percent",
                "",
                "Percent",
            ),
            (
                format!(
                    r#"{{"timeSeries": [{{"metric": {{"type": "db/cpu"}}, "resource": {{"labels": {{"database_id": "p:a"}}}},
                    "points": [{}]}}]}}"#,
                    joined(|at| format!(
                        r#"{{"interval": {{"endTime": {}}}, "value": {{"doubleValue": {at}.5}}}}"#,
                        time(at)
                    ))
                ),
                "db/cpu",
                "a",
                "",
            ),
            (format!(r#"{{"lag": [{}]}}"#, point("t", "v")), "lag", "", ""),
            (format!(r#"{{"lag": [{matrix}]}}"#), "lag", "", ""),
            (format!(r#"{{"host": "a", "samples": [{}]}}"#, point("at", "lag")), "lag", "a", ""),
        ]);
    }

    #[test]
    fn rows_with_several_numbers_are_several_series() {
        let rows = joined(|at| {
            format!(r#"{{"time": {}, "cpu": {at}, "lag": {at}.5, "state": "ok"}}"#, time(at))
        });
        let names: Vec<String> =
            series(&format!("[{rows}]")).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["cpu", "lag"]);
        let of_metric = |name: &str| {
            joined(|at| format!(r#"{{"metric": "{name}", "time": {}, "value": {at}}}"#, time(at)))
        };
        let rows = format!("[{}, {}]", of_metric("lag"), of_metric("cpu"));
        let names: Vec<String> = series(&rows).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["cpu", "lag"]);
    }

    #[test]
    fn logs_events_and_lists_of_objects_are_no_series() {
        let loki = joined(|at| format!(r#"["177235920{at}000000000", "GET / 200"]"#));
        let events = joined(|at| format!(r#"{{"time": {}, "message": "{at} failed"}}"#, time(at)));
        let pods = joined(|at| {
            format!(r#"{{"name": "web-{at}", "time": {}, "restarts": {at}}}"#, time(at))
        });
        for text in [
            format!(r#"{{"result": [{{"stream": {{"app": "web"}}, "values": [{loki}]}}]}}"#),
            format!("[{events}]"),
            format!(r#"{{"pods": [{pods}]}}"#),
            r#"{"values": [1, 2, 3, 4, 5, 6, 7]}"#.to_owned(),
        ] {
            assert_eq!(series(&text), [], "{text}");
        }
    }
}
