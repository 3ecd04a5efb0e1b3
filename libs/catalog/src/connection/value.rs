//! Checks what a person filled in. No message repeats a value: it may be a secret in the wrong field.

use std::collections::BTreeMap;

use url::Url;

use super::types::{ConnectionFault, ConnectionField, ConnectionKind, Form};
use crate::server::is_id;

/// The most characters of a value.
const LONGEST: usize = 500;
const LONGEST_VARIABLE: usize = 100;
const LONGEST_ALERT_TYPE: usize = 100;

/// The values of a kind, of which absent ones are the defaults, without spaces around them.
pub(super) struct Values<'a>(BTreeMap<&'static str, &'a str>);

impl Values<'_> {
    pub(super) fn of(&self, field: &str) -> &str {
        self.0.get(field).copied().unwrap_or_default()
    }

    /// A value that may be empty.
    pub(super) fn optional(&self, field: &str) -> Option<&str> {
        Some(self.of(field)).filter(|value| !value.is_empty())
    }
}

pub(super) fn read<'a>(
    kind: &ConnectionKind,
    values: &'a BTreeMap<String, String>,
) -> Result<Values<'a>, Vec<ConnectionFault>> {
    let mut faults: Vec<ConnectionFault> = Vec::new();
    let names: Vec<&str> = kind.fields.iter().map(|field| field.name).collect();
    for unknown in values.keys().filter(|name| !names.contains(&name.as_str())) {
        let message = format!("is no field of {}; there are: {}", kind.name, names.join(", "));
        faults.push(ConnectionFault::new(unknown, message));
    }
    let mut all = BTreeMap::new();
    for field in kind.fields {
        let value = values.get(field.name).map_or(field.default, |value| value.trim());
        if let Err(message) = check(field, value) {
            faults.push(ConnectionFault::new(field.name, message));
        }
        all.insert(field.name, value);
    }
    if faults.is_empty() { Ok(Values(all)) } else { Err(faults) }
}

fn check(field: &ConnectionField, value: &str) -> Result<(), &'static str> {
    if value.is_empty() {
        return if field.required { Err("is missing; fill it in") } else { Ok(()) };
    }
    if value.chars().count() > LONGEST {
        return Err("is longer than 500 characters; shorten it");
    }
    if value.chars().any(char::is_control) {
        return Err("has a line break or another control character; remove it");
    }
    if value.contains("{{") {
        return Err("has {{, which stands for a variable in tarsy.yaml; write a plain value");
    }
    match field.form {
        Form::ServerId if !is_id(value) => {
            Err("must be letters, digits, single _ and -, at most 64 of them, such as prometheus")
        }
        Form::Address => address(value),
        Form::FilePath if !value.starts_with('/') => {
            Err("must be an absolute path, such as /home/me/.kube/config")
        }
        Form::Variable if !is_variable(value) => Err(
            "must be the name of an environment variable in capital letters, such as MY_TOKEN; \
             set its value where the tool gateway runs, never here",
        ),
        Form::AlertType if value.chars().count() > LONGEST_ALERT_TYPE => {
            Err("is longer than 100 characters; shorten it")
        }
        _ => Ok(()),
    }
}

fn address(value: &str) -> Result<(), &'static str> {
    let url = Url::parse(value).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(url) = url.filter(Url::has_host) else {
        return Err("must be an address with http:// or https://, such as http://localhost:9090");
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has a user name or password; put a token into an environment variable");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("has a part after ? or #, which may be a secret; remove it");
    }
    Ok(())
}

/// Whether a text is the name of a variable. With small letters it may be a token.
fn is_variable(text: &str) -> bool {
    text.len() <= LONGEST_VARIABLE
        && text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !text.starts_with(|first: char| first.is_ascii_digit())
}
