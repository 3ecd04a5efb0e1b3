//! What one parameter takes: data, a program, a switch, or what can be judged.

use serde_json::Value;
use tarsy_contracts::judged::Language;

use super::languages::{Found, language, names_reading};
use super::lists::{
    CONTENTS, FLAGS, JOINED_SWITCHES, LAST, LISTED_ONLY, NAMES, OF_REQUESTS, OPERATIONS, PROGRAMS,
    RUN_WORDS, STATEMENTS, SWITCHES, TEXTS,
};
use crate::declared::Declared;
use crate::names::{is_changing_operation, is_reading_operation};
use crate::words::{find_word, words};

pub(super) enum Takes {
    Data,
    Reading(&'static str),
    Judged(Language),
    Unjudged(&'static str),
}

pub(super) fn takes(tool: Declared<'_>, name: &str, property: &Value) -> Takes {
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
