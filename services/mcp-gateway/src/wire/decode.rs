//! Reads messages of servers that take the protocol, or JSON, less strictly.
//!
//! An answer that cannot be read becomes an error response to its request, which then fails at once instead of at its
//! timeout. Text that is no message is left out.

use rmcp::RoleClient;
use rmcp::model::{CustomResult, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Map, Value, json};

use super::message_id::{answered_id, id_of, last_id};

pub(crate) type Incoming = RxJsonRpcMessage<RoleClient>;

/// The part of an error without a message that is shown, in characters.
const SHOWN_CHARS: usize = 2_000;

pub(super) fn error_response(id: RequestId, message: String) -> Incoming {
    Incoming::error(ErrorData::internal_error(message, None), Some(id))
}

/// The messages in a text: one, none if the text is no message, or those of a batch.
pub(crate) fn decode(bytes: &[u8]) -> Vec<Incoming> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return Vec::new();
    }
    if let Ok(message) = serde_json::from_slice::<Incoming>(bytes) {
        return vec![completed(message)];
    }
    match tarsy_lenient::decode(bytes) {
        Ok(decoded) => match decoded.value {
            Value::Array(batch) => batch.into_iter().filter_map(message).collect(),
            value => message(value).into_iter().collect(),
        },
        Err(error) => unreadable(bytes, &error.to_string()).into_iter().collect(),
    }
}

/// An answer to a handshake with the members that its server left out: who it is, and what it offers.
fn completed(mut message: Incoming) -> Incoming {
    if let JsonRpcMessage::Response(answer) = &mut message
        && let ServerResult::CustomResult(CustomResult(Value::Object(result))) = &mut answer.result
        && result.get("protocolVersion").is_some_and(Value::is_string)
    {
        let mut whole = result.clone();
        let is_object = |value: Option<&Value>| value.is_some_and(Value::is_object);
        if !is_object(whole.get("capabilities")) {
            whole.insert("capabilities".to_owned(), json!({"tools": {}}));
        }
        if !is_object(whole.get("serverInfo")) {
            let unknown = json!({"name": "unknown", "version": "unknown"});
            whole.insert("serverInfo".to_owned(), unknown);
        }
        if let Ok(whole) = serde_json::from_value(Value::Object(whole)) {
            answer.result = whole;
        }
    }
    message
}

/// The answer to a request whose id is a number, where the server gives that as a text.
pub(crate) fn with_number(mut message: Incoming) -> Incoming {
    let id = match &mut message {
        JsonRpcMessage::Response(answer) => Some(&mut answer.id),
        JsonRpcMessage::Error(error) => error.id.as_mut(),
        _ => None,
    };
    if let Some(id) = id
        && let RequestId::String(text) = &*id
        && let Ok(number) = text.parse()
    {
        *id = RequestId::Number(number);
    }
    message
}

/// An error response to the request that a text answers, which is not JSON; none if it answers nothing.
fn unreadable(bytes: &[u8], reason: &str) -> Option<Incoming> {
    let id =
        if bytes.starts_with(b"{") { answered_id(bytes).or_else(|| last_id(bytes)) } else { None };
    let Some(id) = id else {
        tracing::debug!(bytes = bytes.len(), "a server wrote text that is not JSON");
        return None;
    };
    tracing::warn!(bytes = bytes.len(), reason, "a server's answer is not JSON");
    Some(error_response(id, format!("the answer is not valid JSON: {reason}")))
}

/// A message in the form that the protocol gives it; none if it is no message.
fn message(value: Value) -> Option<Incoming> {
    let Value::Object(mut object) = value else { return None };
    let answers = !object.contains_key("method");
    let id = object.get("id").and_then(id_of);
    if answers && complete_answer(&mut object).is_none() {
        // What names the protocol is an answer all the same; a line of a log may have an id, too.
        let id = id.filter(|_| object.contains_key("jsonrpc"))?;
        return Some(error_response(id, "the answer has neither a result nor an error".to_owned()));
    }
    object.insert("jsonrpc".to_owned(), json!("2.0"));
    match serde_json::from_value::<Incoming>(Value::Object(object)) {
        Ok(message) => Some(completed(message)),
        Err(error) => {
            tracing::warn!(%error, "a server's message is not valid in the protocol");
            let id = id.filter(|_| answers)?;
            Some(error_response(id, "the answer is not valid in the protocol".to_owned()))
        }
    }
}

/// Gives an answer either a result or an error; none if it answers nothing.
fn complete_answer(object: &mut Map<String, Value>) -> Option<()> {
    let is_set = |key: &str| object.get(key).is_some_and(|value| !value.is_null());
    let (has_result, has_error) = (is_set("result"), is_set("error"));
    match (has_result, has_error) {
        // An error beside a result says that it is none.
        (_, true) => {
            object.remove("result");
            let error = object.remove("error")?;
            object.insert("error".to_owned(), json!(error_data(error)));
        }
        (true, false) => drop(object.remove("error")),
        (false, false) => return None,
    }
    Some(())
}

/// An error in whatever form a server gives it.
fn error_data(error: Value) -> ErrorData {
    let Value::Object(mut parts) = error else {
        return ErrorData::internal_error(shown(&error), None);
    };
    let code = parts.get("code").and_then(code_of);
    let text = parts.get("message").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let Some(message) = text.map(str::to_owned) else {
        return ErrorData::internal_error(shown(&Value::Object(parts)), None);
    };
    let data = parts.remove("data").filter(|data| !data.is_null());
    ErrorData::new(code.unwrap_or(ErrorCode::INTERNAL_ERROR), message, data)
}

fn code_of(code: &Value) -> Option<ErrorCode> {
    let number = match code {
        Value::Number(number) => number.as_i64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    i32::try_from(number).ok().map(ErrorCode)
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: &[Incoming]) -> (RequestId, String) {
        match message {
            [JsonRpcMessage::Error(error)] => {
                (error.id.clone().unwrap(), error.error.message.to_string())
            }
            other => panic!("{other:?}"),
        }
    }

    fn answered(text: &[u8]) -> (RequestId, Value) {
        match decode(text).as_slice() {
            [JsonRpcMessage::Response(answer)] => {
                (answer.id.clone(), serde_json::to_value(&answer.result).unwrap())
            }
            other => panic!("{}: {other:?}", String::from_utf8_lossy(text)),
        }
    }

    #[test]
    fn text_that_is_no_message_is_left_out() {
        for text in [
            "",
            " \t",
            "listening on port 80",
            "{\"half\":",
            "[1]",
            "{\"id\":3}",
            "null",
            "\u{feff}",
        ] {
            assert!(decode(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_answer_that_is_not_strict_json_is_read() {
        let content = |text: &str| format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        let whole = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#);
        for text in ["cut \\ud83d", "a\tb", "a\u{1}b"] {
            let (id, _) = answered(whole(&content(text)).as_bytes());
            assert_eq!(id, RequestId::Number(7), "{text}");
        }
        let mut latin: Vec<u8> = whole(&content("na?ve")).into_bytes();
        let at = latin.iter().position(|byte| *byte == b'?').unwrap();
        latin.splice(at..=at, [0xE9]);
        assert!(answered(&latin).1.to_string().contains("ve"));
        let number = whole(r#"{"content":[],"structuredContent":{"load":NaN,"most":-Infinity}}"#);
        assert_eq!(answered(number.as_bytes()).0, RequestId::Number(7));
        let marked = format!("\u{feff}{}", whole("{}"));
        assert_eq!(answered(marked.as_bytes()).0, RequestId::Number(7));
    }

    #[test]
    fn an_answer_in_another_form_of_the_protocol_is_read() {
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":null}"#,
            r#"{"id":7,"result":{}}"#,
            r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#,
        ] {
            assert_eq!(answered(text.as_bytes()).0, RequestId::Number(7), "{text}");
        }
    }

    #[test]
    fn an_id_that_is_given_as_a_text_is_the_number_that_was_sent() {
        for text in [
            r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"7","error":{"code":1,"message":"no"}}"#,
        ] {
            let read = decode(text.as_bytes()).into_iter().map(with_number).collect::<Vec<_>>();
            let id = match read.as_slice() {
                [JsonRpcMessage::Response(answer)] => Some(answer.id.clone()),
                [JsonRpcMessage::Error(error)] => error.id.clone(),
                _ => None,
            };
            assert_eq!(id, Some(RequestId::Number(7)), "{text}");
        }
    }

    #[test]
    fn an_error_in_any_form_keeps_its_message() {
        for (error, message) in [
            (r#""no such pod""#, "no such pod"),
            (r#"{"message":"no such pod"}"#, "no such pod"),
            (r#"{"code":"-32000","message":"no such pod"}"#, "no such pod"),
            (r#"{"code":-32000}"#, r#"{"code":-32000}"#),
            (r#"{"code":-32000,"message":null}"#, r#"{"code":-32000,"message":null}"#),
        ] {
            for result in ["", r#""result":null,"#] {
                let text = format!(r#"{{"jsonrpc":"2.0","id":7,{result}"error":{error}}}"#);
                let expected = (RequestId::Number(7), message.to_owned());
                assert_eq!(refused(&decode(text.as_bytes())), expected, "{text}");
            }
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_fails_its_request() {
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"cut of"#,
            r#"{"id":7,"result":{"content":[}}"#,
        ] {
            let (id, message) = refused(&decode(text.as_bytes()));
            assert_eq!(id, RequestId::Number(7), "{text}");
            assert!(message.contains("not valid JSON"), "{message}");
        }
    }
}
