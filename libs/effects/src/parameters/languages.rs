//! The language of a parameter that takes a statement: by the words around it, the nearest first.

use serde_json::Value;
use tarsy_contracts::judged::Language;

use crate::declared::Declared;
use crate::words::words_and_parts;

/// What the words around a parameter say of its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Every statement of this language reads.
    Reading(&'static str),
    Judged(Language),
    /// A language whose statements may change something, and that is not parsed here.
    Program,
    Nothing,
}

/// Languages in which nothing can be changed, by their names and then by the systems that have only such a language.
const READING: [(&str, &str); 12] = [
    ("promql", "PromQL"),
    ("metricsql", "MetricsQL"),
    ("logql", "LogQL"),
    ("logsql", "LogsQL"),
    ("traceql", "TraceQL"),
    ("esql", "ES|QL"),
    ("nrql", "NRQL"),
    ("jql", "JQL"),
    ("soql", "SOQL"),
    ("lucene", "Lucene"),
    ("jsonpath", "JSONPath"),
    ("jmespath", "JMESPath"),
];
const READING_SYSTEMS: [(&str, &str); 16] = [
    ("prometheus", "PromQL"),
    ("prom", "PromQL"),
    ("mimir", "PromQL"),
    ("thanos", "PromQL"),
    ("victoriametrics", "MetricsQL"),
    ("loki", "LogQL"),
    ("victorialogs", "LogsQL"),
    ("tempo", "TraceQL"),
    ("elasticsearch", "a search"),
    ("opensearch", "a search"),
    ("kibana", "a search"),
    ("datadog", "a search"),
    ("cloudwatch", "a search"),
    ("newrelic", "NRQL"),
    ("sentry", "a search"),
    ("jira", "JQL"),
];
/// SQL and its systems.
const SQL: [(&str, Language); 40] = [
    ("sql", Language::Sql),
    ("mysql", Language::Mysql),
    ("mariadb", Language::Mysql),
    ("tidb", Language::Mysql),
    ("postgres", Language::Postgresql),
    ("postgresql", Language::Postgresql),
    ("pg", Language::Postgresql),
    ("psql", Language::Postgresql),
    ("plpgsql", Language::Postgresql),
    ("cockroach", Language::Postgresql),
    ("cockroachdb", Language::Postgresql),
    ("redshift", Language::Postgresql),
    ("timescale", Language::Postgresql),
    ("timescaledb", Language::Postgresql),
    ("supabase", Language::Postgresql),
    ("neon", Language::Postgresql),
    ("greenplum", Language::Postgresql),
    ("yugabyte", Language::Postgresql),
    ("alloydb", Language::Postgresql),
    ("sqlite", Language::Sqlite),
    ("libsql", Language::Sqlite),
    ("turso", Language::Sqlite),
    ("mssql", Language::Mssql),
    ("tsql", Language::Mssql),
    ("sqlserver", Language::Mssql),
    ("clickhouse", Language::Clickhouse),
    ("bigquery", Language::Bigquery),
    ("snowflake", Language::Snowflake),
    ("duckdb", Language::Sql),
    ("trino", Language::Sql),
    ("presto", Language::Sql),
    ("athena", Language::Sql),
    ("databricks", Language::Sql),
    ("hive", Language::Sql),
    ("oracle", Language::Sql),
    ("motherduck", Language::Sql),
    ("spanner", Language::Sql),
    ("vertica", Language::Sql),
    ("teradata", Language::Sql),
    ("select", Language::Sql),
];
/// Systems and languages whose statements may change something, and that are not parsed here.
const PROGRAMS: [&str; 40] = [
    "adx",
    "aql",
    "arangodb",
    "cassandra",
    "cosmos",
    "cosmosdb",
    "couchbase",
    "cql",
    "cypher",
    "dax",
    "database",
    "databases",
    "datalog",
    "db",
    "dgraph",
    "dynamodb",
    "flux",
    "gremlin",
    "influx",
    "influxdb",
    "influxql",
    "janusgraph",
    "kql",
    "kusto",
    "memgraph",
    "mongo",
    "mongodb",
    "n1ql",
    "neo",
    "neptune",
    "partiql",
    "redis",
    "scylla",
    "sparql",
    "spl",
    "splunk",
    "surreal",
    "surrealdb",
    "table",
    "tables",
];

pub(super) fn language(tool: Declared<'_>, name: &str, property: &Value) -> Found {
    let described = property.get("description").and_then(Value::as_str).unwrap_or_default();
    let near = [name, tool.name, described, tool.server]
        .map(|text| of_words(&words_and_parts(text), Systems::Named));
    let far = of_words(&words_and_parts(tool.description), Systems::Unnamed);
    let levels = near.into_iter().chain([far]);
    let mut is_program = false;
    let mut sql = None;
    for found in levels {
        match found {
            Found::Judged(Language::Sql) => sql = sql.or(Some(Language::Sql)),
            Found::Judged(Language::Graphql | Language::Kubectl) | Found::Reading(_)
                if sql.is_some() => {}
            // A dialect that is known by words further away.
            Found::Judged(dialect) if sql.is_some() => return Found::Judged(dialect),
            Found::Judged(_) => return found,
            Found::Reading(_) if !is_program => return found,
            Found::Program => is_program = true,
            Found::Reading(_) | Found::Nothing => {}
        }
    }
    match sql {
        Some(sql) => Found::Judged(sql),
        None if is_program => Found::Program,
        None => Found::Nothing,
    }
}

/// Whether a word is the name of a language in which nothing can be changed.
pub(super) fn names_reading(word: &str) -> bool {
    READING.iter().any(|(known, _)| *known == word)
}

/// Whether systems count, or languages only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Systems {
    Named,
    Unnamed,
}

/// What some words say; several languages say no more than that there is one.
fn of_words(words: &[String], systems: Systems) -> Found {
    let known = |list: &[(&'static str, &'static str)]| {
        list.iter().find(|(known, _)| words.iter().any(|word| word == known)).map(|(_, name)| *name)
    };
    let reading =
        known(&READING).or_else(|| known(&READING_SYSTEMS).filter(|_| systems == Systems::Named));
    let has = |known: &str| words.iter().any(|word| word == known);
    let mut sql: Vec<Language> =
        SQL.iter().filter(|(known, _)| has(known)).map(|(_, language)| *language).collect();
    if sql.iter().any(|language| *language != Language::Sql) {
        sql.retain(|language| *language != Language::Sql);
    }
    sql.dedup();
    let other = if has("graphql") || has("gql") {
        Some(Language::Graphql)
    } else if has("kubectl") || has("oc") {
        Some(Language::Kubectl)
    } else {
        None
    };
    match (reading, sql.as_slice(), other) {
        (Some(language), [], None) => Found::Reading(language),
        (None, [language], None) => Found::Judged(*language),
        // Several systems of SQL.
        (None, [_, ..], None) => Found::Judged(Language::Sql),
        (None, [], Some(language)) => Found::Judged(language),
        (None, [], None) if PROGRAMS.iter().any(|known| has(known)) => Found::Program,
        (None, [], None) => Found::Nothing,
        _ => Found::Program,
    }
}
