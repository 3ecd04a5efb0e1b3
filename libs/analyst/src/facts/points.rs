//! Reads values over time: of documents in the forms that tools for metrics write, and of tables with commas.

mod columns;
mod csv;
mod document;
mod keys;

use serde_json::Value;
use tarsy_evidence::Node;

use super::model::{Facts, Source};
use super::series::{LEAST_POINTS, MOST_SERIES};

/// Points of one series, of which the newest are kept; a bound on time and memory.
const MOST_POINTS: usize = 20_000;
/// Arguments of calls that hold the name of a metric or the query for it.
const QUERIES: &[&str] =
    &["metric", "metric_name", "metricName", "MetricName", "query", "promql", "expr"];

/// The metric that the arguments of a call ask for; empty if they name none.
pub(super) fn asked_for(arguments: &Value) -> &str {
    let named = QUERIES.iter().find_map(|key| arguments.get(key));
    named.and_then(Value::as_str).unwrap_or_default()
}

/// Adds the series of a result; `asked` is the metric that the call asked for.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>, asked: &str) {
    let mut found = document::read(documents, source.result);
    if documents.iter().all(|node| node.entries().is_empty() && node.items().is_empty()) {
        found.extend(csv::read(source));
    }
    found.retain(|one| one.points.len() >= LEAST_POINTS);
    found.truncate(MOST_SERIES);
    for one in &mut found {
        one.points.sort_by_key(|point| point.at);
        one.points.drain(..one.points.len().saturating_sub(MOST_POINTS));
        if one.name.is_empty() {
            asked.clone_into(&mut one.name);
        }
        let object = if one.object.is_empty() { &source.subject.name } else { &one.object };
        one.object = object_name(object).to_owned();
        one.machine = object_name(&one.machine).to_owned();
    }
    facts.series.append(&mut found);
}

/// `db-1` of `db-1:9104`, `host:db-1,env:prod` and `project:db-1`.
fn object_name(object: &str) -> &str {
    let first = object.split(',').next().unwrap_or_default();
    match first.split_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some((_, name)) => name,
        None => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::series::Series;
    use crate::verdict::Target;

    pub(super) fn series(text: &str) -> Vec<Series> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let subject = Target::default();
        let source =
            Source { result: 0, tool: "m.query", command: "", subject: &subject, lines: &lines };
        let mut facts = Facts::default();
        add(&mut facts, &tarsy_evidence::documents(text), &source, "rate(asked_total[5m])");
        facts.series
    }

    #[test]
    fn an_object_is_named_without_port_tag_and_project() {
        for text in ["db-1", "db-1:9104", "host:db-1,env:prod", "project:db-1"] {
            assert_eq!(object_name(text), "db-1");
        }
    }

    #[test]
    fn a_query_names_what_the_result_does_not() {
        let pairs: Vec<String> =
            (0..6).map(|at| format!("[177000000{at}.781, \"{at}.5\"]")).collect();
        let text = format!(
            r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{{"metric": {{}}, "values": [{}]}}]}}}}"#,
            pairs.join(",")
        );
        assert_eq!(series(&text)[0].name, "rate(asked_total[5m])");
    }
}
