//! What one parameter takes: data, a program, a switch, or what can be judged.

use serde_json::Value;
use tarsy_contracts::judged::Language;

use super::languages::{Found, language, names_reading};
use super::lists::{
    ADDRESSES, BODIES, CALLED, COMMAND_LINES, CONTENTS, DATA, FOREIGN, GIVEN, JOINED, LAST,
    LISTED_ONLY, NAMES, OF_REQUESTS, OPERATIONS, OPTIONS, PLACES, PROGRAMS, ROWS, RUN_WORDS,
    RUNNERS, RUNNING, STATEMENTS, TEXTS, URLS, WRITINGS, WRITTEN, WRITTEN_LANGUAGES, WRITTEN_TO,
};
use super::switches::is_switch;
use crate::declared::Declared;
use crate::names::{is_changing_operation, is_known, is_noun, is_reading_operation, leads_change};
use crate::words::{ends_with_word, find_word, words, words_and_parts};

pub(super) enum Takes {
    Data,
    Reading(&'static str),
    Judged(Language),
    Unjudged(&'static str),
}

pub(super) fn takes(tool: Declared<'_>, name: &str, property: &Value) -> Takes {
    let property = without_null(property);
    let kind = kind(property);
    let named = words(name);
    let has_first =
        |known: &[&str]| named.first().is_some_and(|first| known.contains(&first.as_str()));
    let last = named.last().map(String::as_str).unwrap_or_default();
    if !name.is_ascii() || named.iter().any(|word| FOREIGN.contains(&word.as_str())) {
        return Takes::Unjudged("what no English word names");
    }
    if is_switch(&named, kind) {
        return Takes::Unjudged("a switch");
    }
    if matches!(kind, Some("boolean" | "integer" | "number")) {
        return Takes::Data;
    }
    if let Some(taken) = takes_operation(tool, &named, property) {
        return taken;
    }
    if has_first(&CONTENTS) {
        return Takes::Unjudged("what something becomes");
    }
    let is_place = || ends_with_word(name, PLACES);
    if (has_first(&WRITTEN_TO) && named.len() > 1 && is_place()) || named == ["into"] {
        return Takes::Unjudged("a place that it writes to");
    }
    if is_body(tool, &named) {
        return Takes::Judged(Language::Nothing);
    }
    if NAMES.contains(&last) { Takes::Data } else { takes_text(tool, name, property) }
}

/// What a parameter takes that chooses among operations, if it does.
fn takes_operation(tool: Declared<'_>, named: &[String], property: &Value) -> Option<Takes> {
    let first = named.first().map(String::as_str).unwrap_or_default();
    let last = named.last().map(String::as_str).unwrap_or_default();
    let choices = choices(property);
    if OPERATIONS.contains(&last) {
        let is_alone = named.len() == 1 || OF_REQUESTS.contains(&first);
        return match choices {
            Some(choices) => Some(operation(&choices)),
            None if is_alone && !LISTED_ONLY.contains(&last) => {
                Some(Takes::Judged(Language::Operation))
            }
            None => None,
        };
    }
    // `type` with the values `list` and `delete`: whatever its name is, it chooses.
    if let Some(choices) = choices {
        let reads = choices.iter().any(|choice| is_reading_operation(choice));
        let changes = choices.iter().any(|choice| leads_change(choice) && *choice != "write");
        return (reads && changes).then_some(Takes::Judged(Language::Operation));
    }
    let is_kind = ["kind", "name", "type"].contains(&last) && named.len() == 2;
    let of_request = match first {
        "http" | "request" => last != "name",
        "action" | "method" | "operation" | "verb" => {
            has_parameter(tool, |name| ends_with_word(name, ADDRESSES))
        }
        _ => false,
    };
    let is_called = (named.len() == 1 || is_kind)
        && CALLED.contains(&first)
        && has_parameter(tool, |name| GIVEN.contains(&name.to_lowercase().as_str()));
    ((is_kind && of_request) || is_called).then_some(Takes::Judged(Language::Operation))
}

/// Whether a parameter takes what a request carries: by its name, beside an address of one.
fn is_body(tool: Declared<'_>, named: &[String]) -> bool {
    let is = |word: &String| BODIES.contains(&word.as_str());
    match named {
        [one] if one == "body" => true,
        [one] => is(one) && has_parameter(tool, |name| ends_with_word(name, URLS)),
        [kind, last] => {
            let is_kind = ["form", "post", "raw", "request"].contains(&kind.as_str());
            is_kind && is(last) && has_parameter(tool, |name| ends_with_word(name, URLS))
        }
        _ => false,
    }
}

fn has_parameter(tool: Declared<'_>, known: impl Fn(&str) -> bool) -> bool {
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().any(|(name, _)| known(name))
}

/// Whether a tool that runs or asks what it is given may be given it by a parameter that no known word names.
pub(super) fn may_be_run(tool: Declared<'_>, name: &str, property: &Value) -> bool {
    let property = without_null(property);
    let is_text = kind(property).is_none_or(|kind| kind == "string");
    let named = words(name);
    let last = named.last().map(String::as_str).unwrap_or_default();
    find_word(tool.name, RUNNERS).is_some()
        && is_text
        && choices(property).is_none()
        && !(NAMES.contains(&last) || DATA.contains(&last) || last.len() > 2 && is_known(last))
}

/// What a parameter takes that is neither a switch nor a choice.
fn takes_text(tool: Declared<'_>, name: &str, property: &Value) -> Takes {
    let kind = kind(property);
    let named = words(name);
    let has = |known: &[&str]| named.iter().any(|word| known.contains(&word.as_str()));
    let last = named.last().map(String::as_str).unwrap_or_default();
    // `query_string` is a query.
    let written = |word: &&String| !WRITTEN.contains(&word.as_str());
    let of_text = named.iter().rev().find(written).map_or(last, String::as_str);
    let is_query =
        STATEMENTS.contains(&of_text) || named.iter().any(|word| is_joined(word, &STATEMENTS));
    let asks = TEXTS.contains(&last) && find_word(tool.name, RUNNERS).is_some();
    let has_sql = has(&["sql"]) || of_text.contains("sql");
    let is_written = kind != Some("object") && is_written(property, last);
    let is_statement = is_query || asks || has_sql || has(&["graphql", "gql"]) || is_written;
    let is_condition = kind != Some("object") && has(&["where"]);
    let is_program = has(&PROGRAMS)
        || named.iter().any(|word| is_joined(word, &PROGRAMS))
        || is_condition
        || is_option(tool, last)
        || (LAST.contains(&last) || LAST.contains(&of_text)) && !is_query;
    if is_query && !is_written && finds_pages(tool.name) {
        return Takes::Data;
    }
    match language(tool, name, property) {
        Found::Reading(language)
            if is_statement
                || is_expression(last)
                || named.iter().any(|word| names_reading(word)) =>
        {
            Takes::Reading(language)
        }
        Found::Judged(Language::Kubectl) if is_command(&named) => Takes::Judged(Language::Kubectl),
        Found::Judged(Language::Graphql) if last == "document" => Takes::Judged(Language::Graphql),
        Found::Judged(language) if is_statement && language != Language::Kubectl => {
            Takes::Judged(language)
        }
        _ if is_program || (is_written && !is_query) => Takes::Unjudged("a program"),
        // A document that describes what to find is no text that a system runs.
        _ if is_statement && kind == Some("object") => match find_word(tool.name, RUNNING) {
            Some(_) => Takes::Unjudged("a query of an unknown language"),
            None => Takes::Data,
        },
        Found::Program if is_statement => Takes::Unjudged("a program"),
        _ if is_statement && !is_search(tool.name, of_text) => {
            Takes::Unjudged("a query of an unknown language")
        }
        _ if kind != Some("object") && is_run(property) => Takes::Unjudged("what is executed"),
        _ => Takes::Data,
    }
}

/// `cmdline`, `rawquery`: a program or a statement, and how it is written, as one word.
fn is_joined(word: &str, known: &[&str]) -> bool {
    known.iter().filter(|known| known.len() > 1).any(|known| {
        let rest = word.strip_prefix(known).or_else(|| word.strip_suffix(known));
        rest.is_some_and(|rest| JOINED.contains(&rest))
    })
}

/// Whether its description says that a text is written in a language that may change something, and its name that it is no
/// thing in such a text.
fn is_written(property: &Value, last: &str) -> bool {
    let words = words_and_parts(&described(property));
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let languages = || WRITTEN_LANGUAGES.split_whitespace();
    let is_thing = is_noun(last) && !TEXTS.contains(&last);
    !is_thing && has(&WRITINGS) && languages().any(|language| has(&[language]))
}

/// What a schema says of a parameter.
fn described(property: &Value) -> String {
    let texts = ["title", "description"].into_iter();
    texts.filter_map(|key| property.get(key)?.as_str()).collect::<Vec<_>>().join(" ")
}

/// Whether a parameter carries flags of a program of the command line.
fn is_option(tool: Declared<'_>, last: &str) -> bool {
    OPTIONS.contains(&last) && find_word(tool.name, COMMAND_LINES).is_some()
}

/// Whether a parameter with such words carries a command line, or a part of one.
fn is_command(named: &[String]) -> bool {
    let commands = ["args", "argument", "arguments", "argv", "cli", "cmd", "command", "commands"];
    named.iter().any(|word| commands.contains(&word.as_str()))
}

fn is_expression(last: &str) -> bool {
    ["expr", "expression", "expressions"].contains(&last)
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

/// The type of a schema, beside null.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
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

/// The texts that a schema lists as the only values, or as the only ones of a list.
fn choices(property: &Value) -> Option<Vec<&str>> {
    if let Some(one) = property.get("const").and_then(Value::as_str) {
        return Some(vec![one]);
    }
    if let Some(listed) = property.get("enum").and_then(Value::as_array) {
        return listed.iter().filter(|value| !value.is_null()).map(Value::as_str).collect();
    }
    if let Some(items) = property.get("items") {
        return choices(items);
    }
    let variants = ["anyOf", "oneOf"].into_iter().find_map(|key| property.get(key)?.as_array())?;
    let each = variants.iter().map(|variant| variant.get("const")?.as_str());
    each.collect()
}

/// Whether a name says that its `query` is what to look for. A statement is none, and rows are found by one.
fn is_search(name: &str, parameter: &str) -> bool {
    let search = ["find", "glob", "grep", "list", "locate", "lookup", "search"];
    let searches = words(name).iter().any(|word| search.contains(&word.as_str()));
    let gets = find_word(name, "fetch get").is_some() && find_word(name, ROWS).is_none();
    let is_statement = ["statement", "statements", "stmt"].contains(&parameter);
    (searches || gets) && !is_statement
}

/// Whether a tool looks for pages of documentation, whatever system they are about.
fn finds_pages(name: &str) -> bool {
    find_word(name, "find lookup search").is_some()
        && find_word(name, "doc docs documentation wiki").is_some()
}

/// Whether a description says that the value is run.
fn is_run(property: &Value) -> bool {
    words(&described(property)).iter().any(|word| RUN_WORDS.contains(&word.as_str()))
}
