//! Statements of a database with how much of its load each makes up: of tools for performance, and of the statistics that
//! PostgreSQL and `MySQL` keep of statements.

use tarsy_evidence::{Node, Shape};

use super::model::{Facts, Source, Statement};

/// Statements of one result; a bound on time.
const MOST_STATEMENTS: usize = 500;
/// Keys of the text of a statement, and of what it takes of the load; the load of one result has one unit.
const TEXTS: &[&str] = &[
    "statement",
    "sql",
    "sql_text",
    "query",
    "query_text",
    "digest_text",
    "DIGEST_TEXT",
    "normalized_query",
    "db.sql.statement",
    "db.sql_tokenized.statement",
];
const LOADS: &[&str] = &[
    "db_load_avg",
    "db_load",
    "load",
    "Total",
    "total_exec_time",
    "total_time",
    "total_time_ms",
    "total_latency",
    "sum_timer_wait",
    "SUM_TIMER_WAIT",
    "avg_active_sessions",
];
const WAITS: &[&str] = &["wait_events", "waits", "Partitions", "partitions"];

/// Adds the statements of a result.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>) {
    let mut found = Vec::new();
    for node in documents {
        walk(node, source.result, &mut found);
    }
    facts.statements.append(&mut found);
}

fn walk(node: &Node, result: usize, found: &mut Vec<Statement>) {
    if found.len() >= MOST_STATEMENTS {
        return;
    }
    match &node.shape {
        Shape::Scalar(_) => {}
        Shape::List(items) => items.iter().for_each(|item| walk(item, result, found)),
        Shape::Map(entries) => match statement(node, result) {
            Some(statement) => found.push(statement),
            None => entries.iter().for_each(|entry| walk(&entry.value, result, found)),
        },
    }
}

fn statement(node: &Node, result: usize) -> Option<Statement> {
    let of = |key: &&str| node.get(key).or_else(|| node.get("Dimensions")?.get(key));
    let text = TEXTS.iter().find_map(of).filter(|text| text.text().is_some())?;
    let load = load(node)?;
    let waits = WAITS.iter().find_map(|key| node.get(key)).map_or(&[][..], Node::items);
    let loads = waits.iter().filter_map(|wait| Some((self::load(wait)?, name(wait)?)));
    let most = loads.max_by(|one, other| one.0.total_cmp(&other.0));
    let wait = most.map(|(_, name)| name.to_owned()).unwrap_or_default();
    let (text, line) = (text.text()?.to_owned(), text.line);
    Some(Statement { text, load, wait, result, line })
}

fn load(node: &Node) -> Option<f64> {
    let text = LOADS.iter().find_map(|key| node.get(key).and_then(Node::text))?;
    text.parse().ok().filter(|load: &f64| load.is_finite())
}

fn name(wait: &Node) -> Option<&str> {
    wait.get("name").or_else(|| wait.get("event")).and_then(Node::text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Target;

    fn statements(text: &str) -> Vec<Statement> {
        let subject = Target::default();
        let source = Source { result: 0, tool: "", command: "", subject: &subject, lines: &[] };
        let mut facts = Facts::default();
        add(&mut facts, &tarsy_evidence::documents(text), &source);
        facts.statements
    }

    #[test]
    fn statements_are_read_with_their_load_and_what_they_wait_for() {
        for (text, wait) in [
            (
                r#"{"top_sql": [{"statement": "SELECT 1", "db_load_avg": 4.5,
                "wait_events": [{"name": "CPU", "db_load_avg": 1.0}, {"name": "Lock:tuple", "db_load_avg": 3.5}]}]}"#,
                "Lock:tuple",
            ),
            (r#"{"Keys": [{"Dimensions": {"db.sql.statement": "SELECT 1"}, "Total": 4.5}]}"#, ""),
            (r#"[{"query": "SELECT 1", "calls": 3, "total_exec_time": 4.5}]"#, ""),
            (r#"[{"DIGEST_TEXT": "SELECT 1", "SUM_TIMER_WAIT": "4.5"}]"#, ""),
        ] {
            let found = statements(text);
            let [one] = found.as_slice() else { panic!("{text}: {found:?}") };
            assert_eq!((one.text.as_str(), one.wait.as_str()), ("SELECT 1", wait));
            assert!((one.load - 4.5).abs() < 1e-9, "{text}");
        }
        assert_eq!(statements(r#"{"query": "up == 0", "status": "success"}"#), []);
    }
}
