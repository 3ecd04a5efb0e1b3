//! The body of a request as JSON, whatever its type and encoding.

mod illegible;
mod plain;

use std::borrow::Cow;

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde_json::Value;
use tarsy_lenient::{Decoded, Note, Unreadable, decode_at_most, text};
use url::form_urlencoded;

use crate::bounds;
use crate::limits::{MAX_RAW_BYTES, MAX_VALUES};

pub(crate) use self::illegible::Illegible;
pub(crate) use self::plain::plain;

const FORM: &str = "application/x-www-form-urlencoded";
const PARTS: &str = "multipart/form-data";
/// The fields of forms that have the document, if there are several.
const DOCUMENTS: [&str; 4] = ["payload", "body", "data", "json"];

/// The most fields of a form that are an alert.
const MAX_FIELDS: usize = 200;

/// A body, and what was repaired.
#[derive(Debug, PartialEq)]
pub(crate) struct Body {
    pub(crate) payload: Value,
    pub(crate) notes: Vec<String>,
}

/// Reads a body as JSON; one with an object on each line, as the list of them; one that is a form, as the JSON in it, else as
/// an object of its fields.
pub(crate) fn read(headers: &HeaderMap, body: &[u8]) -> Result<Body, Illegible> {
    let content_type = content_type(headers);
    let unreadable = match decode_at_most(body, charset(content_type), MAX_VALUES) {
        Ok(decoded) => return Ok(with_notes(decoded)),
        Err(unreadable @ Unreadable::Syntax(_)) => unreadable,
        Err(unreadable) => return Err(unreadable.into()),
    };
    let kind = content_type.to_ascii_lowercase();
    let read = if kind.starts_with(FORM) {
        form(&form_urlencoded::parse(body).collect::<Vec<_>>())
    } else if kind.starts_with(PARTS) {
        form(&parts(content_type, body))
    } else {
        lines(body)
    };
    let is_xml = body.trim_ascii_start().starts_with(b"<");
    read.ok_or(if is_xml { Illegible::Xml } else { unreadable.into() })
}

/// A body with one object on each line.
fn lines(body: &[u8]) -> Option<Body> {
    let text = str::from_utf8(body).ok()?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // `decode_at_most` counts the commas, and lines have none between them.
    if lines.clone().nth(MAX_VALUES).is_some() {
        return None;
    }
    let objects = lines.map(|line| {
        if line.starts_with('{') { serde_json::from_str::<Value>(line).ok() } else { None }
    });
    let objects: Vec<Value> = objects.collect::<Option<_>>()?;
    let notes = vec!["the body: read as an object on each line".to_owned()];
    (objects.len() > 1).then(|| Body { payload: Value::Array(objects), notes })
}

/// The fields of a form in parts.
fn parts<'a>(content_type: &str, body: &'a [u8]) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let Some(boundary) = parameter(content_type, "boundary").filter(|text| !text.is_empty()) else {
        return Vec::new();
    };
    let Ok(text) = str::from_utf8(body) else { return Vec::new() };
    let delimiter = format!("--{boundary}");
    let field = |part: &'a str| {
        let (head, value) = part.split_once("\r\n\r\n").or_else(|| part.split_once("\n\n"))?;
        let disposition = head.lines().find(|line| {
            line.get(..20).is_some_and(|name| name.eq_ignore_ascii_case("content-disposition:"))
        })?;
        let name = parameter(disposition, "name")?;
        Some((Cow::Owned(name.to_owned()), Cow::Borrowed(value.trim_end_matches(['\r', '\n']))))
    };
    text.split(delimiter.as_str()).skip(1).take(MAX_FIELDS).filter_map(field).collect()
}

/// What was sent, as text for people.
pub(crate) fn raw(headers: &HeaderMap, body: &[u8]) -> Value {
    let text = text(body, charset(content_type(headers))).text.into_owned();
    Value::String(bounds::text(text, MAX_RAW_BYTES))
}

pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn charset(content_type: &str) -> Option<&str> {
    parameter(content_type, "charset")
}

/// A parameter of a header's value, without quotation marks.
fn parameter<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    let mut parameters = value.split(';').skip(1).filter_map(|part| part.split_once('='));
    let found = parameters.find(|(one, _)| one.trim().eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim().trim_matches('"'))
}

fn with_notes(decoded: Decoded) -> Body {
    let notes = decoded.notes.iter().map(|note: &Note| format!("the body: {note}")).collect();
    Body { payload: decoded.value, notes }
}

fn form(fields: &[(Cow<'_, str>, Cow<'_, str>)]) -> Option<Body> {
    let named = fields.iter().filter(|(name, _)| DOCUMENTS.contains(&name.as_ref()));
    let mut found = named.chain(fields).filter_map(|(_, value)| {
        value
            .trim_start()
            .starts_with(['{', '['])
            .then(|| decode_at_most(value.as_bytes(), None, MAX_VALUES).ok())?
    });
    let mut read = match found.next() {
        Some(decoded) => with_notes(decoded),
        None => Body { payload: object_of(fields)?, notes: Vec::new() },
    };
    read.notes.push("the body: read from a form".to_owned());
    Some(read)
}

/// The fields of a form; none if it is another text.
fn object_of(fields: &[(Cow<'_, str>, Cow<'_, str>)]) -> Option<Value> {
    let is_form = fields.len() <= MAX_FIELDS && fields.iter().any(|(_, value)| !value.is_empty());
    let member = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
        (name.clone().into_owned(), Value::String(value.clone().into_owned()))
    };
    is_form.then(|| Value::Object(fields.iter().map(member).collect()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use serde_json::json;

    use super::*;

    fn of(content_type: &'static str) -> HeaderMap {
        [(CONTENT_TYPE, HeaderValue::from_static(content_type))].into_iter().collect()
    }

    #[test]
    fn a_form_is_read_as_the_json_in_it() {
        let body = b"token=x&payload=%7B%22a%22%3A+1%7D";
        let read = read(&of("application/x-www-form-urlencoded; charset=utf-8"), body).unwrap();
        assert_eq!((read.payload, read.notes.len()), (json!({"a": 1}), 1));
    }

    #[test]
    fn a_form_without_json_is_an_object_of_its_fields() {
        let read = read(&of(FORM), b"Name=Shop&Status=Down&Tags=").unwrap();
        assert_eq!(read.payload, json!({"Name": "Shop", "Status": "Down", "Tags": ""}));
        assert!(super::read(&of(FORM), b"disk full").is_err());
    }

    #[test]
    fn a_form_in_parts_and_an_object_on_each_line_are_read() {
        let body = b"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b\r\n\
            content-disposition: form-data; name=\"data\"\r\n\r\n{\"c\": 2}\r\n--b--\r\n";
        let kind = of("multipart/form-data; boundary=\"b\"");
        assert_eq!(read(&kind, body).unwrap().payload, json!({"c": 2}));
        assert_eq!(
            read(&HeaderMap::new(), b"{\"a\": 1}\n\n{\"a\": 2}\n")
                .unwrap()
                .payload
                .as_array()
                .unwrap()
                .len(),
            2
        );
        assert_eq!(read(&HeaderMap::new(), b" <a/>"), Err(Illegible::Xml));
        assert!(read(&HeaderMap::new(), b"{\"a\": 1}\ntext").unwrap_err().is_text());
    }

    #[test]
    fn a_body_of_too_many_values_is_not_parsed() {
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        let odd = list(MAX_VALUES).replacen('[', "['a quotation mark: \"', ", 1);
        for text in [list(MAX_VALUES + 1), format!("\u{feff}{}", list(MAX_VALUES + 1)), odd] {
            let error = read(&HeaderMap::new(), text.as_bytes()).unwrap_err();
            assert_eq!(error, Illegible::Json(Unreadable::TooMany { most: MAX_VALUES }));
        }
        assert!(read(&HeaderMap::new(), list(MAX_VALUES).as_bytes()).is_ok());
        assert!(read(&HeaderMap::new(), "{}\n".repeat(MAX_VALUES + 1).as_bytes()).is_err());
    }

    #[test]
    fn the_type_does_not_matter_and_its_encoding_counts() {
        for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
            assert_eq!(read(&of(kind), b"[1]").unwrap().payload, json!([1]));
        }
        let read = read(&of("text/plain; charset=\"Shift_JIS\""), b"[\"\x8f\xe1\x8aQ\"]").unwrap();
        assert_eq!(read.payload, json!(["障害"]));
        assert!(super::read(&HeaderMap::new(), b"a=b").is_err());
    }
}
