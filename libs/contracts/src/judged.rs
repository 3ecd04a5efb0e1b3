//! Who decides whether a tool reads, and the parameters by which that is decided call by call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who, or what, decided the class of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// A list in the policy of its server.
    Operator,
    /// What its server says of it.
    Server,
    Name,
    /// What its parameters take.
    Parameters,
    /// The arguments of each call.
    Call,
    /// Nobody: it needs an operator's acceptance.
    #[default]
    #[serde(other)]
    Nobody,
}

impl Decider {
    /// The word of the API, and for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Server => "server",
            Self::Name => "name",
            Self::Parameters => "parameters",
            Self::Call => "call",
            Self::Nobody => "nobody",
        }
    }
}

/// A parameter whose value decides whether a call reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    pub parameter: String,
    pub language: Language,
    /// Whether a call without it reads as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_absent: bool,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// SQL of a system that is not known.
    Sql,
    Bigquery,
    Clickhouse,
    Mssql,
    Mysql,
    Postgresql,
    Snowflake,
    Sqlite,
    Graphql,
    /// The arguments of kubectl, or its whole command line.
    Kubectl,
    /// A method of HTTP, or the name of an operation.
    Operation,
    /// What a call that reads does not have, such as the body of a request.
    Nothing,
    /// A language of a newer version: nothing is known of its calls.
    #[serde(other)]
    Unknown,
}

impl Language {
    /// The language, for a person.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sql
            | Self::Bigquery
            | Self::Clickhouse
            | Self::Mssql
            | Self::Mysql
            | Self::Postgresql
            | Self::Snowflake
            | Self::Sqlite => "SQL",
            Self::Graphql => "GraphQL",
            Self::Kubectl => "kubectl",
            Self::Operation => "an operation",
            Self::Nothing => "a body",
            Self::Unknown => "an unknown language",
        }
    }
}

/// The parameter that asks for a dry run, of the `properties` of a tool's schema.
pub fn dry_run_parameter(properties: Option<&Value>) -> Option<&'static str> {
    let properties = properties?;
    let is_switch = |name: &&str| {
        let kind = properties.get(*name).and_then(|member| member.get("type"));
        kind.and_then(Value::as_str) == Some("boolean")
    };
    ["dry_run", "dryRun", "dry-run", "dryrun"].into_iter().find(is_switch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_of_a_newer_version_is_unknown() {
        let newer = r#"{"parameter": "q", "language": "cypher"}"#;
        let judged: Judged = serde_json::from_str(newer).unwrap();
        assert_eq!((judged.language, judged.may_be_absent), (Language::Unknown, false));
    }
}
