//! What the parameters of a tool take: data, or a program or a switch that decides what a call does.

mod languages;
mod lists;
mod nested;

use serde_json::{Map, Value};
use tarsy_contracts::judged::{Judged, Language};

use self::languages::{Found, language, names_reading};
use self::lists::{
    ADDRESSES, CONTENTS, FLAGS, JOINED_SWITCHES, LAST, LISTED_ONLY, NAMES, OF_REQUESTS, OPERATIONS,
    PROGRAMS, RUN_WORDS, STATEMENTS, SWITCHES, TEXTS,
};
use self::nested::Nested;
use crate::names::{is_changing_operation, is_reading_operation};
use crate::words::{ends_with_word, find_word, words};

/// How deep objects of a schema are looked into.
const DEPTH: usize = 6;
/// How many parts of a schema are looked at.
const PARTS: usize = 2_000;
/// A tool as its server declares it.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The server's id in the configuration.
    pub server: &'a str,
    pub name: &'a str,
    pub description: &'a str,
    /// JSON Schema of its arguments.
    pub schema: &'a Map<String, Value>,
}

/// What the parameters of a tool say of its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Those whose value can be judged in each call.
    pub judged: Vec<Judged>,
    /// Why calls cannot be judged, if they cannot: a program or a switch.
    pub unjudged: Option<String>,
    /// A parameter that takes a language which always reads.
    pub reading: Option<String>,
    /// Whether one of them holds an address: then a method is one of HTTP.
    pub has_address: bool,
}

/// Reads the parameters of a tool.
pub fn read_parameters(tool: Declared<'_>) -> Parameters {
    let mut found = Parameters::default();
    let Some(properties) = tool.schema.get("properties").and_then(Value::as_object) else {
        return found;
    };
    found.has_address = properties.keys().any(|name| ends_with_word(name, ADDRESSES));
    let mut parts = PARTS;
    for (name, property) in properties {
        match takes(tool, name, property) {
            Takes::Data => {}
            Takes::Reading(language) => {
                found.reading = Some(format!("its parameter '{name}' takes {language}"));
            }
            Takes::Judged(language) => {
                let may_be_absent = match language {
                    Language::Nothing => true,
                    Language::Operation => default_reads(property),
                    _ => false,
                };
                found.judged.push(Judged { parameter: name.clone(), language, may_be_absent });
            }
            Takes::Unjudged(what) => {
                let why = || format!("its parameter '{name}' takes {what}");
                found.unjudged = found.unjudged.or_else(|| Some(why()));
            }
        }
        let mut nested = Nested { tool, parts };
        if found.unjudged.is_none() && nested.has_program(property, DEPTH) {
            found.unjudged = Some(format!("its parameter '{name}' has one that takes a program"));
        }
        parts = nested.parts;
    }
    // A body belongs to a method; without one nothing says when it is sent.
    if !found.judged.iter().any(|judged| judged.language == Language::Operation)
        && let Some(body) = found.judged.iter().find(|judged| judged.language == Language::Nothing)
    {
        let why = format!("its parameter '{}' takes a body", body.parameter);
        found.unjudged = found.unjudged.or(Some(why));
    }
    found
}

/// What a parameter takes.
enum Takes {
    Data,
    Reading(&'static str),
    Judged(Language),
    Unjudged(&'static str),
}

fn takes(tool: Declared<'_>, name: &str, property: &Value) -> Takes {
    let property = without_null(property);
    let kind = property.get("type").and_then(Value::as_str);
    let named = words(name);
    let has_first =
        |known: &[&str]| named.first().is_some_and(|first| known.contains(&first.as_str()));
    let last = named.last().map(String::as_str).unwrap_or_default();
    if is_switch(&named, kind) {
        return Takes::Unjudged("a switch");
    }
    if matches!(kind, Some("boolean" | "integer" | "number")) {
        return Takes::Data;
    }
    if OPERATIONS.contains(&last) {
        let is_alone = named.len() == 1 || has_first(&OF_REQUESTS);
        match choices(property) {
            Some(choices) => return operation(&choices),
            None if is_alone && !LISTED_ONLY.contains(&last) => {
                return Takes::Judged(Language::Operation);
            }
            None => {}
        }
    }
    if has_first(&CONTENTS) {
        return Takes::Unjudged("what something becomes");
    }
    if last == "body" && named.len() == 1 {
        return Takes::Judged(Language::Nothing);
    }
    if NAMES.contains(&last) { Takes::Data } else { takes_text(tool, name, property) }
}

/// What a parameter takes that is neither a switch nor a choice.
fn takes_text(tool: Declared<'_>, name: &str, property: &Value) -> Takes {
    let kind = property.get("type").and_then(Value::as_str);
    let named = words(name);
    let has = |known: &[&str]| named.iter().any(|word| known.contains(&word.as_str()));
    let last = named.last().map(String::as_str).unwrap_or_default();
    // `query_string` is a query.
    let of_text =
        named.iter().rev().find(|word| !["body", "string", "text"].contains(&word.as_str()));
    let is_query = of_text.is_some_and(|word| STATEMENTS.contains(&word.as_str()));
    let asks = TEXTS.contains(&last) && find_word(tool.name, "ask execute query run sql").is_some();
    let is_statement = is_query || asks || has(&["sql", "graphql", "gql"]);
    let is_condition = kind != Some("object") && has(&["where"]);
    let is_program = has(&PROGRAMS) || is_condition || LAST.contains(&last) && !is_query;
    match language(tool, name, property) {
        Found::Reading(language)
            if is_statement
                || is_expression(last)
                || named.iter().any(|word| names_reading(word)) =>
        {
            Takes::Reading(language)
        }
        Found::Judged(Language::Kubectl) if is_command(&named) => Takes::Judged(Language::Kubectl),
        Found::Judged(language) if is_statement && language != Language::Kubectl => {
            Takes::Judged(language)
        }
        _ if is_program => Takes::Unjudged("a program"),
        // A document that describes what to find is no text that a system runs.
        _ if is_statement && kind == Some("object") => Takes::Data,
        Found::Program if is_statement => Takes::Unjudged("a program"),
        _ if is_statement && !is_search(tool.name) => {
            Takes::Unjudged("a query of an unknown language")
        }
        _ if kind != Some("object") && is_run(property) => Takes::Unjudged("what is executed"),
        _ => Takes::Data,
    }
}

/// Whether a parameter with such words carries a command line, or a part of one.
fn is_command(named: &[String]) -> bool {
    let commands = ["args", "argument", "arguments", "argv", "cli", "cmd", "command", "commands"];
    named.iter().any(|word| commands.contains(&word.as_str()))
}

fn is_expression(last: &str) -> bool {
    ["expr", "expression", "expressions"].contains(&last)
}

/// Whether a name is that of a switch, or of a flag that makes a call change something.
fn is_switch(named: &[String], kind: Option<&str>) -> bool {
    let Some(first) = named.first() else { return false };
    if matches!(kind, Some("integer" | "number")) {
        return false;
    }
    let (joined, is_flag) = (named.concat(), matches!(kind, None | Some("boolean")));
    let is_listed = |word: &String| SWITCHES.contains(&word.as_str());
    JOINED_SWITCHES.iter().any(|switch| joined.contains(switch))
        || named.iter().any(|word| ["ack", "autoack", "noack"].contains(&word.as_str()))
        || (is_flag && (named.iter().any(is_listed) || (kind.is_some() && FLAGS.contains(&first.as_str()))))
        // The hash of a commit is data.
        || (named.len() == 1 && is_listed(first) && first != "commit")
}

/// What a parameter takes that chooses among listed values: operations are judged by their words.
fn operation(choices: &[&str]) -> Takes {
    let is_operation =
        |choice: &&&str| is_changing_operation(choice) || is_reading_operation(choice);
    let all_read = choices.iter().all(|choice| is_reading_operation(choice));
    match choices.iter().find(is_operation) {
        Some(_) if !all_read => Takes::Judged(Language::Operation),
        _ => Takes::Data,
    }
}

/// The part of a schema beside null, as SDKs write parameters that may be left out.
fn without_null(schema: &Value) -> &Value {
    let is_null = |part: &&Value| part.get("type").and_then(Value::as_str) == Some("null");
    let variants = ["anyOf", "oneOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
    let mut others = variants.into_iter().flatten().filter(|part| !is_null(part));
    match (others.next(), others.next()) {
        (Some(only), None) if only.get("$ref").is_none() => only,
        _ => schema,
    }
}

/// The texts that a schema lists as the only values.
fn choices(property: &Value) -> Option<Vec<&str>> {
    if let Some(one) = property.get("const").and_then(Value::as_str) {
        return Some(vec![one]);
    }
    let listed = property.get("enum").and_then(Value::as_array)?;
    listed.iter().map(Value::as_str).collect()
}

fn default_reads(property: &Value) -> bool {
    property.get("default").and_then(Value::as_str).is_some_and(is_reading_operation)
}

/// Whether a name says that its `query` is what to look for.
fn is_search(name: &str) -> bool {
    let search = ["find", "get", "glob", "grep", "list", "locate", "lookup", "search"];
    words(name).iter().any(|word| search.contains(&word.as_str()))
}

/// Whether a description says that the value is run.
fn is_run(property: &Value) -> bool {
    let described = property.get("description").and_then(Value::as_str).unwrap_or_default();
    words(described).iter().any(|word| RUN_WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests;
