//! Columns with names: of `InfluxDB`, rows of values, of Grafana's data frames, lists of values, of Datadog, lists of values
//! beside one of times.

use tarsy_evidence::Node;

use super::keys::{TIMES, VALUES, name_of, object_of, of_nodes};
use crate::facts::series::Point;

pub(super) struct Column<'n> {
    /// None if it says no more than that it has values.
    pub(super) name: Option<&'n str>,
    pub(super) object: Option<&'n str>,
    pub(super) points: Vec<Point>,
}

/// The columns of a map; none if it has none of these forms.
pub(super) fn read(node: &Node) -> Vec<Column<'_>> {
    let found = of_rows(node).or_else(|| of_frame(node)).or_else(|| beside_times(node));
    found.unwrap_or_default()
}

fn of_rows(node: &Node) -> Option<Vec<Column<'_>>> {
    let (fields, rows) = (node.get("columns")?.items(), node.get("values")?.items());
    let cells = |at: usize| rows.iter().map(move |row| row.items().get(at));
    let time = fields.iter().position(is_time)?;
    let columns = fields.iter().enumerate().filter(|(at, _)| *at != time).map(|(at, field)| {
        let pairs = cells(time).zip(cells(at));
        let points = pairs.filter_map(|(time, value)| of_nodes(time?, value?)).collect();
        Column { name: named(field), object: tagged(node), points }
    });
    Some(columns.collect())
}

/// The object in the tags of a measurement.
fn tagged(node: &Node) -> Option<&str> {
    object_of(node).or_else(|| node.get("tags")?.entries().first()?.value.text())
}

fn of_frame(node: &Node) -> Option<Vec<Column<'_>>> {
    let fields = node.at(&["schema", "fields"])?.items();
    let lists = node.at(&["data", "values"])?.items();
    let time = fields.iter().position(is_time)?;
    let times = lists.get(time)?.items();
    let columns = fields.iter().zip(lists).enumerate().filter(|(at, _)| *at != time);
    let columns = columns.map(|(_, (field, list))| Column {
        name: named(field),
        object: object_of(field),
        points: together(times, list.items()),
    });
    Some(columns.collect())
}

fn beside_times(node: &Node) -> Option<Vec<Column<'_>>> {
    let (times, lists) = (node.get("times")?.items(), node.get("values")?.items());
    let series = node.get("series").map_or(&[][..], Node::items);
    let columns = lists.iter().enumerate().map(|(at, list)| {
        let tags = series.get(at).and_then(|one| one.get("group_tags"));
        let tag = tags.and_then(|tags| tags.items().first()?.text());
        Column { name: tag, object: None, points: together(times, list.items()) }
    });
    Some(columns.collect())
}

fn together(times: &[Node], values: &[Node]) -> Vec<Point> {
    times.iter().zip(values).filter_map(|(time, value)| of_nodes(time, value)).collect()
}

fn is_time(field: &Node) -> bool {
    field.text().or_else(|| name_of(field)).is_some_and(|name| TIMES.contains(&name))
}

fn named(field: &Node) -> Option<&str> {
    field.text().or_else(|| name_of(field)).filter(|name| !VALUES.contains(name))
}
