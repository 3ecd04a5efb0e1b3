//! The keys by which tools name metrics, their objects, times and values.

use tarsy_evidence::Node;

use crate::facts::series::{Point, point};

/// Keys of the name of a metric.
const NAMES: &[&str] = &[
    "metric_name",
    "metricName",
    "MetricName",
    "label",
    "Label",
    "metric",
    "target",
    "series",
    "name",
    "expression",
    "alias",
    "title",
    "id",
    "Id",
];
/// Keys of the object of a series, in its labels or beside it; the narrowest first.
const OBJECTS: &[&str] = &[
    "pod",
    "db_instance_identifier",
    "dbinstance_identifier",
    "DBInstanceIdentifier",
    "dbInstanceIdentifier",
    "resource_id",
    "database_id",
    "instance",
    "instance_id",
    "server",
    "host",
    "hostname",
    "node",
    "service",
    "deployment",
    "datname",
    "database",
    "db",
    "cluster",
    "scope",
    "resource",
    "job",
];
/// Keys of the time and of the value of a point.
pub(super) const TIMES: &[&str] = &[
    "timestamp",
    "Timestamp",
    "timeStamp",
    "time",
    "Time",
    "ts",
    "t",
    "date",
    "datetime",
    "at",
    "collected_at",
    "recorded_at",
    "bucket",
    "minute",
];
pub(super) const VALUES: &[&str] = &[
    "value", "Value", "v", "y", "Average", "average", "Maximum", "maximum", "Minimum", "minimum",
    "Sum", "total",
];

pub(super) fn text_of<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n str> {
    keys.iter().find_map(|key| node.get(key).and_then(Node::text)).filter(|text| !text.is_empty())
}

pub(super) fn of_nodes(time: &Node, value: &Node) -> Option<Point> {
    point((time.text()?, time.line), (value.text()?, value.line))
}

/// The name of a metric: a text, or one inside of its labels or of its description.
pub(super) fn name_of(node: &Node) -> Option<&str> {
    name_node(node).and_then(Node::text)
}

pub(super) fn name_node(node: &Node) -> Option<&Node> {
    const INNER: [&[&str]; 5] = [
        &["metric", "__name__"],
        &["metric", "type"],
        &["name", "value"],
        &["Key", "Metric"],
        &["labels", "__name__"],
    ];
    let own = NAMES.iter().filter_map(|key| node.get(key));
    let mut all = own.chain(INNER.iter().filter_map(|path| node.at(path)));
    all.find(|name| name.text().is_some_and(|text| !text.is_empty()))
}

/// The object in the labels or dimensions of a series, or beside it.
pub(super) fn object_of(node: &Node) -> Option<&str> {
    let labels = ["metric", "labels", "tags", "resource"].iter().filter_map(|key| node.get(key));
    let dimensions = ["dimensions", "Dimensions"].iter().filter_map(|key| node.get(key));
    let mut of_labels = labels.filter_map(|labels| text_of(labels, OBJECTS));
    let mut of_dimensions =
        dimensions.filter_map(|list| text_of(list.items().first()?, &["Value", "value"]));
    of_labels
        .next()
        .or_else(|| of_dimensions.next())
        .or_else(|| text_of(node, OBJECTS))
        .or_else(|| text_of(node.at(&["resource", "labels"])?, OBJECTS))
}

/// Labels that name a machine, or a program on one.
const MACHINES: &[&str] =
    &["instance", "node", "host", "hostname", "nodename", "kubernetes_node", "server", "machine"];

/// The machine or instance in the labels of a series, or beside it; empty if none is named.
pub(super) fn machine_of(node: &Node) -> &str {
    let labels = ["metric", "labels", "tags"].iter().filter_map(|key| node.get(key));
    let mut all = labels.chain([node]).filter_map(|labels| text_of(labels, MACHINES));
    all.next().unwrap_or_default()
}
