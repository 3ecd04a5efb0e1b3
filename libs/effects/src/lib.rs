//! Whether a tool, and a call of it, reads or changes something.
//!
//! A tool by the words of its name and by what its parameters take; a call of a tool whose parameters take statements by
//! those statements. Nothing here says "reads" unless it is known: names with unknown words, statements that cannot be
//! parsed and languages that are not known are left to a person. Every decision is a function of values.

mod declared;
mod graphql;
mod kubectl;
mod names;
mod parameters;
mod request;
mod sql;
mod undeclared;
mod words;

use serde_json::{Map, Value};
use tarsy_contracts::judged::{Judged, Language};

pub use self::declared::Declared;
pub use self::names::{Family, NameReading, read_name, secret_word};
pub use self::parameters::{Parameters, read_parameters};
pub use self::undeclared::doubt_of_undeclared;
pub use self::words::{ends_with_word, find_word};

/// The most statements in a list.
const STATEMENTS: usize = 8;

/// Why a call is not known to read, by the parameters that decide; none if it reads.
pub fn doubt(judged: &[Judged], arguments: &Map<String, Value>) -> Option<String> {
    let mut decided = false;
    for Judged { parameter, language, may_be_absent } in judged {
        match arguments.get(parameter).filter(|value| !value.is_null()) {
            None => decided |= *may_be_absent && *language != Language::Nothing,
            Some(value) => {
                if let Some(why) = doubt_of_value(*language, value) {
                    return Some(format!("'{parameter}': {why}"));
                }
                decided |= *language != Language::Nothing;
            }
        }
    }
    if !decided {
        return Some("nothing in its arguments says what it does".to_owned());
    }
    let has_method = judged.iter().any(|one| one.language == Language::Operation);
    has_method.then(|| request::doubt(arguments)).flatten()
}

/// The same for arguments as a model wrote them; those that are no JSON object are not known to read.
pub fn doubt_of_text(judged: &[Judged], arguments: &str) -> Option<String> {
    match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(arguments) => doubt(judged, &arguments),
        Err(_) => Some("its arguments are no JSON object".to_owned()),
    }
}

fn doubt_of_value(language: Language, value: &Value) -> Option<String> {
    match (language, value) {
        (Language::Unknown, _) => Some("its language is not known".to_owned()),
        (Language::Nothing, _) => {
            (!is_empty(value)).then(|| "a call that reads sends nothing".to_owned())
        }
        (Language::Kubectl, Value::Array(words)) => {
            let words: Option<Vec<String>> =
                words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            words.map_or_else(|| Some(no_text()), |words| kubectl::doubt_of_list(&words))
        }
        (_, Value::Array(texts)) if (1..=STATEMENTS).contains(&texts.len()) => {
            texts.iter().find_map(|text| match text {
                Value::String(text) => doubt_of_statement(language, text),
                _ => Some(no_text()),
            })
        }
        (_, Value::String(text)) => doubt_of_statement(language, text),
        _ => Some(no_text()),
    }
}

fn doubt_of_statement(language: Language, text: &str) -> Option<String> {
    match language {
        Language::Graphql => graphql::doubt(text),
        Language::Kubectl => match kubectl::split(text) {
            Some(words) => kubectl::doubt(&words),
            None => Some("a shell would do more than run this command".to_owned()),
        },
        Language::Operation => (!names::is_reading_operation(text)).then(|| {
            format!("{:?} is not known to read", text.chars().take(40).collect::<String>())
        }),
        Language::Nothing | Language::Unknown => Some("its language is not known".to_owned()),
        sql => sql::doubt(text, sql),
    }
}

fn no_text() -> String {
    "it is no text that can be judged".to_owned()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(parameter: &str, language: Language, may_be_absent: bool) -> Judged {
        Judged { parameter: parameter.to_owned(), language, may_be_absent }
    }

    fn reads(judged: &[Judged], arguments: &str) -> bool {
        doubt_of_text(judged, arguments).is_none()
    }

    #[test]
    fn a_call_reads_if_every_statement_in_it_does() {
        let sql = [one("sql", Language::Postgresql, false)];
        assert!(reads(&sql, r#"{"sql": "SELECT 1", "limit": 5}"#));
        assert!(reads(&sql, r#"{"sql": ["SELECT 1", "SELECT 2"]}"#));
        for arguments in [
            r#"{"sql": "DROP TABLE users CASCADE"}"#,
            r#"{"sql": ["SELECT 1", "DROP TABLE t"]}"#,
            r#"{"sql": {"text": "SELECT 1"}}"#,
            r#"{"sql": []}"#,
            r#"{"sql": null}"#,
            r#"{"other": "SELECT 1"}"#,
            "{}",
            "SELECT 1",
            r#"["SELECT 1"]"#,
        ] {
            assert!(!reads(&sql, arguments), "{arguments}");
        }
    }

    #[test]
    fn requests_read_by_their_method_and_send_nothing() {
        let http = [one("method", Language::Operation, true), one("body", Language::Nothing, true)];
        assert!(reads(&http, r#"{"url": "https://a.example", "method": "get"}"#));
        assert!(reads(&http, r#"{"url": "https://a.example", "body": ""}"#));
        for arguments in [
            r#"{"method": "DELETE"}"#,
            r#"{"method": "GET", "body": "x"}"#,
            r#"{"method": "get", "body": {"a": 1}}"#,
            r#"{"method": 5}"#,
        ] {
            assert!(!reads(&http, arguments), "{arguments}");
        }
        let required = [one("method", Language::Operation, false)];
        assert!(!reads(&required, "{}"));
    }

    #[test]
    fn another_method_in_a_header_a_field_or_an_address_is_none_that_reads() {
        let http = [one("method", Language::Operation, true), one("body", Language::Nothing, true)];
        assert!(reads(
            &http,
            r#"{"method": "GET", "headers": {"Accept": "text/html"}, "url": "/a?b=c"}"#
        ));
        for arguments in [
            r#"{"method": "GET", "headers": {"X-HTTP-Method-Override": "DELETE"}}"#,
            r#"{"method": "GET", "headers": {"x-http-method": "PUT"}}"#,
            r#"{"method": "GET", "headers": [{"name": "X-Method-Override", "value": "PATCH"}]}"#,
            r#"{"method": "GET", "headers": ["X_HTTP_METHOD_OVERRIDE: DELETE"]}"#,
            r#"{"method": "GET", "headers": "Accept: a\nX-HTTP-Method-Override: DELETE"}"#,
            r#"{"method": "GET", "url": "https://a.example/users/1?_method=DELETE"}"#,
            r#"{"method": "GET", "url": "https://a.example/users/1?%5fmethod=delete"}"#,
            r#"{"method": "GET", "params": {"_method": "delete"}}"#,
            r#"{"method": "GET", "url": "https://a.example/ HTTP/1.1\r\nDELETE /users/1"}"#,
            r#"{"url": "https://a.example", "headers": {"X-Original-Method": "DELETE"}}"#,
        ] {
            assert!(!reads(&http, arguments), "{arguments}");
        }
    }

    #[test]
    fn commands_read_as_a_line_or_as_words() {
        let kubectl = [one("command", Language::Kubectl, false)];
        assert!(reads(&kubectl, r#"{"command": "get pods -A"}"#));
        assert!(reads(&kubectl, r#"{"command": ["get", "pods"]}"#));
        assert!(!reads(&kubectl, r#"{"command": "delete pods --all -A"}"#));
        assert!(!reads(&kubectl, r#"{"command": ["delete", "pods"]}"#));
        assert!(!reads(&kubectl, r#"{"command": ["get", 5]}"#));
    }

    #[test]
    fn a_language_of_a_newer_version_is_left_to_a_person() {
        assert!(!reads(&[one("q", Language::Unknown, false)], r#"{"q": "SELECT 1"}"#));
        assert!(!reads(&[], "{}"));
    }
}
