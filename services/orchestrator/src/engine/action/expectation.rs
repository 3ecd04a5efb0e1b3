//! How the result of a check is compared with what it is to have. What cannot be compared decides nothing.

use regex::{Regex, RegexBuilder};
use serde_json::Value;
use tarsy_contracts::action::Expectation;
use tarsy_domain::action::ExpectationKind;

/// The most memory that an expression may take, in bytes.
const MAX_EXPRESSION: usize = 1 << 18;
/// The longest text that is searched, in bytes: a check reads a state, not a log.
const MAX_TEXT: usize = 1 << 20;
/// The longest value that is kept of a result, in characters.
const MAX_OBSERVED: usize = 200;

/// Whether a result has what it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Yes,
    No,
    /// It cannot be said; why.
    Unclear(String),
}

/// A result, compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) held: Held,
    /// The value that was compared, as much as is kept.
    pub(crate) observed: Option<String>,
}

impl Reading {
    pub(crate) fn unclear(why: impl Into<String>) -> Self {
        Self { held: Held::Unclear(why.into()), observed: None }
    }
}

/// Whether an expectation can be compared with anything.
pub(super) fn is_readable(expected: &Expectation) -> Result<(), String> {
    if expected.pointer.as_ref().is_some_and(|pointer| !pointer.starts_with('/')) {
        return Err("a JSON pointer begins with /".to_owned());
    }
    match expected.kind {
        ExpectationKind::Equals => Ok(()),
        ExpectationKind::Contains | ExpectationKind::Lacks => {
            if text_of(&expected.value).is_empty() { Err("it is empty".to_owned()) } else { Ok(()) }
        }
        ExpectationKind::Matches => expression(&expected.value).map(|_| ()),
        ExpectationKind::AtLeast | ExpectationKind::AtMost => {
            number(&expected.value).map(|_| ()).ok_or_else(|| "it is no number".to_owned())
        }
    }
}

/// Compares a result with what it is to have.
pub(crate) fn compare(expected: &Expectation, result: &str) -> Reading {
    if result.trim().is_empty() {
        return Reading::unclear("the result of the check is empty");
    }
    if result.len() > MAX_TEXT {
        return Reading::unclear("the result of the check is longer than what is compared");
    }
    let value = match found(expected.pointer.as_deref(), result) {
        Ok(value) => value,
        Err(why) => return Reading::unclear(why),
    };
    let text = text_of(&value);
    let held = match expected.kind {
        ExpectationKind::Equals => Ok(is_same(&value, &expected.value)),
        ExpectationKind::Contains => Ok(text.contains(&text_of(&expected.value))),
        ExpectationKind::Lacks => Ok(!text.contains(&text_of(&expected.value))),
        ExpectationKind::Matches => expression(&expected.value).map(|one| one.is_match(&text)),
        ExpectationKind::AtLeast => numbers(&value, &expected.value).map(|(is, least)| is >= least),
        ExpectationKind::AtMost => numbers(&value, &expected.value).map(|(is, most)| is <= most),
    };
    let held = match held {
        Ok(true) => Held::Yes,
        Ok(false) => Held::No,
        Err(why) => Held::Unclear(why),
    };
    Reading { held, observed: Some(shortened(&text)) }
}

/// The value that a pointer names in a result, or the whole result as a text.
fn found(pointer: Option<&str>, result: &str) -> Result<Value, String> {
    let Some(pointer) = pointer else { return Ok(Value::String(result.trim().to_owned())) };
    let value: Value = serde_json::from_str(result)
        .map_err(|_| "the result of the check is no JSON".to_owned())?;
    let found = value.pointer(pointer).cloned();
    found.ok_or_else(|| format!("the result of the check has nothing at {pointer}"))
}

/// A value as its text: a string is its own.
pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Numbers by their value, other values by their texts: schemas of models may know no other type.
fn is_same(value: &Value, expected: &Value) -> bool {
    match (number(value), number(expected)) {
        (Some(one), Some(other)) => one.total_cmp(&other).is_eq(),
        _ => text_of(value) == text_of(expected),
    }
}

fn numbers(value: &Value, expected: &Value) -> Result<(f64, f64), String> {
    let none = || format!("{} is no number", shortened(&text_of(value)));
    Ok((number(value).ok_or_else(none)?, number(expected).ok_or_else(none)?))
}

/// A number, also as a text.
fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    // Neither an infinity nor what is no number compares; a negative zero is zero.
    number.filter(|number| number.is_finite()).map(|number| number + 0.0)
}

fn expression(value: &Value) -> Result<Regex, String> {
    RegexBuilder::new(&text_of(value))
        .size_limit(MAX_EXPRESSION)
        .build()
        .map_err(|_| "it is no regular expression, or too large a one".to_owned())
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_OBSERVED).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn held(pointer: Option<&str>, kind: ExpectationKind, value: Value, result: &str) -> Held {
        let expected = Expectation { pointer: pointer.map(str::to_owned), kind, value };
        compare(&expected, result).held
    }

    #[test]
    fn a_value_of_a_result_is_compared_as_it_is_expected() {
        use ExpectationKind::{AtLeast, AtMost, Contains, Equals, Lacks, Matches};
        let json =
            r#"{"ready": 2, "phase": "Running", "of": {"images": ["a:1"]}, "paused": false}"#;
        for (pointer, kind, value, wanted) in [
            ("/ready", AtLeast, json!(2), Held::Yes),
            ("/ready", AtLeast, json!("3"), Held::No),
            ("/ready", AtMost, json!(2.0), Held::Yes),
            ("/ready", Equals, json!("2"), Held::Yes),
            ("/ready", Equals, json!(2.0), Held::Yes),
            ("/ready", Equals, json!(3), Held::No),
            ("/phase", Equals, json!("Running"), Held::Yes),
            ("/phase", Equals, json!("running"), Held::No),
            ("/paused", Equals, json!("false"), Held::Yes),
            ("/of/images/0", Equals, json!("a:1"), Held::Yes),
            ("/of", Contains, json!("a:1"), Held::Yes),
            ("/of", Lacks, json!("a:1"), Held::No),
            ("/phase", Matches, json!("^Run"), Held::Yes),
        ] {
            let expected = Expectation { pointer: Some(pointer.to_owned()), kind, value };
            assert_eq!(compare(&expected, json).held, wanted, "{}", expected.line());
        }
        assert_eq!(held(None, Contains, json!("3 of 3"), "ready: 3 of 3"), Held::Yes);
        assert_eq!(held(None, Lacks, json!("CrashLoop"), "Running"), Held::Yes);
        assert_eq!(held(None, AtLeast, json!(3), " 4 \n"), Held::Yes);
        assert_eq!(held(None, Equals, json!("-0"), "0"), Held::Yes);
    }

    #[test]
    fn what_cannot_be_compared_decides_nothing() {
        use ExpectationKind::{AtLeast, AtMost, Contains, Equals, Lacks, Matches};
        for (pointer, kind, value, result) in [
            (Some("/ready"), AtLeast, json!(2), "ready: 2"),
            (Some("/ready"), AtLeast, json!(2), r#"{"Ready": 2}"#),
            (Some("/ready"), AtLeast, json!(2), r#"{"ready": "two"}"#),
            (Some("/ready"), AtMost, json!(2), r#"{"ready": null}"#),
            (Some("/ready"), Equals, json!(2), "{\"ready\": 2} and more"),
            (None, AtLeast, json!(2), "2 of 3"),
            (None, AtMost, json!(2), "NaN"),
            (None, AtMost, json!(2), "-inf"),
            (None, Lacks, json!("error"), "  \n"),
            (None, Contains, json!("error"), ""),
            (None, Matches, json!("("), "x"),
        ] {
            let found = held(pointer, kind, value, result);
            assert!(matches!(found, Held::Unclear(_)), "{kind} {result}: {found:?}");
        }
        let long = "x".repeat(MAX_TEXT + 1);
        assert!(matches!(held(None, Lacks, json!("y"), &long), Held::Unclear(_)));
    }

    #[test]
    fn what_is_kept_of_a_value_is_bounded() {
        let expected =
            Expectation { pointer: None, kind: ExpectationKind::Contains, value: json!("x") };
        let observed = compare(&expected, &"é".repeat(5_000)).observed.unwrap();
        assert_eq!(observed.chars().count(), MAX_OBSERVED + 1);
    }
}
