//! What the parameters of a tool take: data, or a program or a switch that decides what a call does.

mod languages;
mod lists;
mod nested;
mod switches;
mod takes;

use serde_json::{Value, json};
use tarsy_contracts::judged::{Judged, Language};

use self::lists::{ADDRESSES, URLS};
use self::nested::Nested;
use self::takes::{Takes, may_be_run, takes};
use crate::declared::Declared;
use crate::names::is_reading_operation;
use crate::words::ends_with_word;

/// How deep objects of a schema are looked into.
const DEPTH: usize = 6;
/// How many parts of a schema are looked at.
const PARTS: usize = 2_000;

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

pub fn read_parameters(tool: Declared<'_>) -> Parameters {
    let mut found = Parameters::default();
    let mut nested = Nested { tool, parts: PARTS };
    let whole = Value::Object(tool.schema.clone());
    if nested.has_program_beside(&whole, DEPTH) {
        found.unjudged = Some("a part of its schema has a program or a switch".to_owned());
    }
    let Some(properties) = tool.schema.get("properties").and_then(Value::as_object) else {
        return found;
    };
    found.has_address = properties.keys().any(|name| ends_with_word(name, ADDRESSES));
    let mut parts = nested.parts;
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
    let is_open = found.judged.is_empty() && found.unjudged.is_none() && found.reading.is_none();
    if is_open
        && let Some((name, _)) = properties.iter().find(|(name, of)| may_be_run(tool, name, of))
    {
        found.unjudged = Some(format!("its parameter '{name}' may take what it runs"));
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

/// Why the member of an object, which no schema declares, is not known to be data; none if it is.
pub(crate) fn doubt_of_field(tool: Declared<'_>, name: &str, value: &Value) -> Option<String> {
    let kind = match value {
        Value::Null => return None,
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    match takes(tool, name, &json!({ "type": kind })) {
        Takes::Data | Takes::Reading(_) => None,
        Takes::Judged(language) => {
            crate::doubt_of_value(language, value).map(|why| format!("'{name}': {why}"))
        }
        Takes::Unjudged(what) => Some(format!("'{name}' takes {what}")),
    }
}

/// Whether a parameter of a tool holds the address of a request, and not that of a file.
pub(crate) fn takes_url(tool: Declared<'_>) -> bool {
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().any(|(name, _)| ends_with_word(name, URLS))
}

fn default_reads(property: &Value) -> bool {
    property.get("default").and_then(Value::as_str).is_some_and(is_reading_operation)
}

#[cfg(test)]
mod tests;
