//! The results in a conversation, and in the records of earlier agents.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::conversation::{Message, Role};
use crate::facts::{command_of, prints_log};
use crate::text::regex;
use crate::transcript::CallRecord;
use crate::verdict::is_statement;

static HEAD: LazyLock<Regex> = regex!(r"^(?:Observation: )?\[call (\d+)\] (answered|failed)\.");
static RECORD: LazyLock<Regex> = regex!(r"^\[call (\d+)\] ([\w-]+\.[\w.-]+)(?: (.*))?$");
static QUOTED: LazyLock<Regex> = regex!(r"^\s*- (`+) ?(.+?) ?`+ \[call (\d+)\]$");

/// Lines of a record that begin something else than the result of a call.
const TITLES: &[&str] = &[
    "Thought:",
    "The agent said:",
    "The agent said, and broke off:",
    "Conclusion:",
    "Error:",
    "Note:",
    "Question from a person:",
    "Executive summary:",
    "</investigation>",
];

/// The results of a conversation's calls, by the numbers that they are cited by; without numbers, in their order.
pub(crate) fn of_messages(messages: &[Message]) -> Vec<CallRecord> {
    let requested: HashMap<&str, _> =
        messages.iter().flat_map(|one| &one.calls).map(|call| (call.id.as_str(), call)).collect();
    let mut found = Vec::new();
    for message in messages.iter().filter(|one| one.role == Role::Tool) {
        let call = requested.get(message.call_id.as_str());
        let (number, text, failed) = unwrap(&message.content);
        let next = u32::try_from(found.len() + 1).unwrap_or(u32::MAX);
        let tool = call.map_or_else(String::new, |call| call.name.clone());
        let arguments: Value =
            call.and_then(|call| serde_json::from_str(&call.arguments).ok()).unwrap_or(Value::Null);
        let is_log = prints_log(&tool, &command_of(&arguments).unwrap_or_default());
        found.push(CallRecord {
            number: number.unwrap_or(next),
            tool,
            arguments,
            failed: failed || if is_log { is_error_of_log(text) } else { is_error(text) },
            text: text.replace("<\u{200b}/", "</"),
        });
    }
    found
}

/// Number, text and failure of a result, without the prompt around it.
fn unwrap(content: &str) -> (Option<u32>, &str, bool) {
    let head = HEAD.captures(content);
    let part = |at| head.as_ref().and_then(|found| found.get(at)).map(|found| found.as_str());
    let number = part(1).and_then(|number| number.parse().ok());
    let failed = part(2) == Some("failed");
    let inner = ["tool_result", "tool_output"].iter().find_map(|tag| {
        let open = content.find(&format!("<{tag}"))?;
        let begin = open + content.get(open..)?.find(">\n")? + 2;
        let end = content.rfind(&format!("\n</{tag}>"))?;
        content.get(begin..end)
    });
    (number, inner.unwrap_or(content), failed)
}

/// Whether a tool that prints logs could not: a program writes `Error: …` into its own log, too.
fn is_error_of_log(text: &str) -> bool {
    static OF_TOOL: LazyLock<Regex> = regex!(
        r"(?i)^(?:error from server\b|unable to connect to the server|error:? (?:getting|fetching|retrieving|reading|streaming) (?:the )?(?:\w+ )?logs?\b|error: (?:a )?(?:container|pods?) |error: no such (?:container|object)|\S*: command not found)"
    );
    is_error(text)
        && (!text.trim().to_lowercase().starts_with("error") || OF_TOOL.is_match(text.trim()))
}

/// Whether a result is only an error: of the tool, of the API, of a command line.
fn is_error(text: &str) -> bool {
    let text = text.trim();
    let short = text.len() < 2_000;
    let json = text.starts_with(r#"{"error""#) || text.starts_with(r#"{"isError":true"#);
    let first = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    let error = first.starts_with("error")
        || first.starts_with("unable to connect to the server")
        || first.contains("command not found")
        || first.contains("not recorded");
    text.is_empty()
        || short && json
        || error && text.lines().count() < 6 && !first.contains(" lines")
}

/// What a failed call says went wrong: the message of an error in JSON, else the first line.
pub(crate) fn error_message(text: &str) -> String {
    let in_json = serde_json::from_str::<Value>(text).ok();
    let message = in_json.as_ref().and_then(message_in).map(str::trim);
    let first_line = || text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    message.unwrap_or_else(first_line).to_owned()
}

/// The members in which tools and APIs put what went wrong, the likeliest first.
const MEMBERS: [&str; 8] =
    ["error", "errors", "message", "detail", "reason", "stderr", "text", "content"];

fn message_in(error: &Value) -> Option<&str> {
    if let Some(text) = error.as_str() {
        return Some(text).filter(|text| !text.trim().is_empty());
    }
    if let Some(items) = error.as_array() {
        return items.iter().find_map(message_in);
    }
    MEMBERS.iter().filter_map(|name| error.get(name)).find_map(message_in)
}

/// The results in what earlier stages or agents left: their records, then what their reports quote.
pub(crate) fn of_background(background: &str) -> Vec<CallRecord> {
    let mut found: Vec<CallRecord> = Vec::new();
    let mut rest = Vec::new();
    let mut current: Option<CallRecord> = None;
    for line in background.lines() {
        let is_title = TITLES.contains(&line) || line.starts_with("## Agent ");
        if let Some(captures) = RECORD.captures(line) {
            found.extend(current.take());
            let part = |at| captures.get(at).map_or("", |found| found.as_str());
            current = Some(CallRecord {
                number: part(1).parse().unwrap_or(0),
                tool: part(2).to_owned(),
                arguments: serde_json::from_str(part(3)).unwrap_or(Value::Null),
                text: String::new(),
                failed: false,
            });
        } else if is_title {
            found.extend(current.take());
        } else if let Some(call) = current.as_mut() {
            match line {
                "Result:" => {}
                "Failed:" => call.failed = true,
                _ => {
                    call.text.push_str(line);
                    call.text.push('\n');
                }
            }
        } else {
            rest.push(line);
        }
    }
    found.extend(current);
    let mut quoted = quotes(&rest);
    found.append(&mut quoted);
    found.retain(|call| !call.text.trim().is_empty());
    found
}

/// Sentences of the analyst itself in a record.
fn is_own(line: &str) -> bool {
    line.starts_with("First: ")
        || line.starts_with("Next: ")
        || line.starts_with("First I look at ")
        || line.starts_with("Next I look at ")
        || line.contains(crate::LABEL)
        || is_statement(line)
}

/// What reports quote, by call; other lines are given with the request.
fn quotes(lines: &[&str]) -> Vec<CallRecord> {
    let record = |number: u32| CallRecord {
        number,
        tool: String::new(),
        arguments: Value::Null,
        text: String::new(),
        failed: false,
    };
    let mut calls: Vec<CallRecord> = Vec::new();
    let mut given = record(0);
    for line in lines {
        let Some(captures) = QUOTED.captures(line) else {
            if !line.contains("[call ") && !line.starts_with('#') && !is_own(line) {
                given.text.push_str(line);
                given.text.push('\n');
            }
            continue;
        };
        let part = |at| captures.get(at).map_or("", |found| found.as_str());
        let number = part(3).parse().unwrap_or(0);
        let at = calls.iter().position(|call| call.number == number).unwrap_or_else(|| {
            calls.push(record(number));
            calls.len() - 1
        });
        if let Some(call) = calls.get_mut(at) {
            call.text.push_str(part(2));
            call.text.push('\n');
        }
    }
    calls.push(given);
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_program_in_its_log_is_no_error_of_the_tool() {
        for (text, is_failed) in [
            ("Error: listen EADDRINUSE: address already in use :::8080", false),
            ("ERROR 2026-05-01 cannot open /data/index: permission denied", false),
            ("Error: unable to open the database file", false),
            (
                "Error from server (BadRequest): container \"web\" in pod \"web-1\" is waiting to start",
                true,
            ),
            ("error: container web is not valid for pod web-1", true),
            ("Error getting pod logs: pods \"web-1\" not found", true),
            ("Error: No such container: web", true),
            (r#"{"error": "not found"}"#, true),
            ("", true),
        ] {
            assert_eq!(is_error_of_log(text), is_failed, "{text}");
        }
    }

    #[test]
    fn the_message_of_an_error_is_found_in_json_and_in_text() {
        for (text, message) in [
            (
                "{\n  \"error\": {\"kind\": \"denied\", \"message\": \"not below /var/log\"}\n}",
                "not below /var/log",
            ),
            (r#"{"error": "no such file"}"#, "no such file"),
            (r#"{"error": "invalid_grant", "message": "the key has expired"}"#, "invalid_grant"),
            (r#"{"status": 404, "detail": "pod not found"}"#, "pod not found"),
            (r#"{"errors": [{"code": 7, "message": "timed out"}]}"#, "timed out"),
            (r#"[{"type": "text", "text": "no route"}]"#, "no route"),
            (r#"{"status": 500}"#, r#"{"status": 500}"#),
            ("\n\nerror: no connection\nsecond line", "error: no connection"),
            ("{ not json", "{ not json"),
            ("", ""),
        ] {
            assert_eq!(error_message(text), message, "{text}");
        }
    }
}
