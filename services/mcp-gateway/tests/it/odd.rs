//! Servers that misbehave: what was seen of others, each with what becomes of it here.

use std::time::{Duration, Instant};

use serde_json::json;
use tarsy_testkit::{WAIT, eventually};
use tarsy_tools::ToolLease;

use crate::stack::{GatewayOptions, Stack, ask, example, is_running, processes};

/// A stack with a server `odd` that misbehaves in these ways.
async fn stack(ways: &str, more: &str) -> Stack {
    let servers = format!(
        "  odd:\n    transport: {{type: stdio, command: \"{}\", args: [\"{{folder}}\", {ways}]{more}}}\n",
        example("odd").display(),
    );
    Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
}

fn names(lease: &dyn ToolLease) -> Vec<&str> {
    lease.tools().iter().map(|tool| tool.name.as_str()).collect()
}

async fn works(lease: &dyn ToolLease) {
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    assert_eq!(ask(lease, "odd.echo", json!({"a": 1})).await.content, r#"{"a":1}"#);
}

#[tokio::test]
async fn a_server_that_starts_slowly_is_waited_for() {
    let stack = stack("late=11000", "").await;
    let lease = crate::stack::open(&stack.toolbox, &["odd"], Duration::from_mins(1)).await.unwrap();
    works(&*lease).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_server_that_starts_too_slowly_is_named_with_its_time() {
    let stack = stack("late=60000, complains", ", init_timeout: 1s").await;
    let lease = stack.lease(&["odd"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("1s") && failed.error.contains("odd"), "{}", failed.error);
    eventually("the end of its process", async || processes(&stack.folder) == 0).await;
    stack.drain().await;
}

#[tokio::test]
async fn noise_between_the_messages_is_left_out() {
    let stack = stack("noise", "").await;
    works(&*stack.lease(&["odd"]).await).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_server_of_the_first_revision_is_understood() {
    let stack = stack("old", "").await;
    works(&*stack.lease(&["odd"]).await).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_server_of_one_revision_gets_requests_of_that_revision() {
    let stack = stack("strict", "").await;
    works(&*stack.lease(&["odd"]).await).await;
    stack.drain().await;
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_an_error_at_once_and_the_session_stays() {
    let stack = stack("", "").await;
    let lease = stack.lease(&["odd"]).await;
    let pid = ask(&*lease, "odd.pid", json!({})).await.content;
    for tool in ["odd.huge", "odd.huge_reversed"] {
        let started = Instant::now();
        let result = ask(&*lease, tool, json!({})).await;
        assert!(result.is_error && result.content.contains("ask for less"), "{}", result.content);
        assert!(started.elapsed() < WAIT);
    }
    assert_eq!(ask(&*lease, "odd.pid", json!({})).await.content, pid);
    stack.drain().await;
}

#[tokio::test]
async fn an_answer_in_no_known_shape_is_an_error_at_once() {
    let stack = stack("", "").await;
    let lease = stack.lease(&["odd"]).await;
    let result = ask(&*lease, "odd.shapeless", json!({})).await;
    assert!(result.is_error && result.content.contains("something"), "{}", result.content);
    stack.drain().await;
}

/// The answer of a server that writes these bytes.
async fn answer_to(lease: &dyn ToolLease, bytes: &[u8]) -> (bool, String) {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits: String = digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect();
    let started = Instant::now();
    let result = ask(lease, "odd.raw", json!({"answer": digits})).await;
    assert!(started.elapsed() < WAIT, "{}", String::from_utf8_lossy(bytes));
    (result.is_error, result.content)
}

#[tokio::test]
async fn an_answer_that_is_almost_json_is_read() {
    let stack = stack("mark", "").await;
    let lease = stack.lease(&["odd"]).await;
    let text = |text: &[u8]| {
        let before = br#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":""#;
        [before.as_slice(), text, br#""}]}}"#].concat()
    };
    for (written, read) in [
        (br"half \ud83d of it".as_slice(), "half \u{fffd} of it"),
        (b"col\tumn", "col\tumn"),
        (b"two\nlines", "two\nlines"),
        (b"na\xEFve", "na\u{ef}ve"),
        (b"esc \x1b[0m", "esc \u{1b}[0m"),
    ] {
        assert_eq!(answer_to(&*lease, &text(written)).await, (false, read.to_owned()));
    }
    let values = br#"{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[],"structuredContent":{"load":NaN,"used":1.5,}}}"#;
    let (is_error, content) = answer_to(&*lease, values).await;
    assert!(!is_error && content.contains("1.5"), "{content}");
    let pretty = b"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"ID\",\n  \"result\": {\n    \"content\": [{\"type\": \"text\", \"text\": \"three\"}]\n  }\n}";
    assert_eq!(answer_to(&*lease, pretty).await, (false, "three".to_owned()));
    works(&*lease).await;
    stack.drain().await;
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_fails_its_call_at_once_with_the_reason() {
    let stack = stack("", "").await;
    let lease = stack.lease(&["odd"]).await;
    for written in [
        br#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"cut off"#
            .as_slice(),
        br#"{"jsonrpc":"2.0","id":ID,"result":{"content":[}]}}"#,
    ] {
        let (is_error, content) = answer_to(&*lease, written).await;
        assert!(is_error && content.contains("not valid JSON"), "{content}");
        works(&*lease).await;
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_failure_reports_its_cause_wherever_the_server_gives_it() {
    let stack = stack("", "").await;
    let lease = stack.lease(&["odd"]).await;
    for (written, cause) in [
        (
            r#""error":{"code":-32603,"message":"Internal error","data":{"cause":"x509: unknown authority"}}"#,
            "x509: unknown authority",
        ),
        (
            r#""error":{"code":-32603,"message":"Internal error","data":"no route to host"}"#,
            "no route to host",
        ),
        (r#""error":{"message":"no such pod"}"#, "no such pod"),
        (r#""result":{"content":[],"isError":true}"#, "gives no reason"),
        (r#""result":{"content":[{"type":"text","text":""}],"isError":true}"#, "gives no reason"),
        (r#""result":{"isError":true}"#, "gives no reason"),
    ] {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":ID,{written}}}"#);
        let (is_error, content) = answer_to(&*lease, answer.as_bytes()).await;
        assert!(is_error && content.contains(cause), "{written}: {content}");
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_server_that_exits_in_mid_call_is_started_anew_for_the_next() {
    let stack = stack("", "").await;
    let lease = stack.lease(&["odd"]).await;
    let before = ask(&*lease, "odd.pid", json!({})).await.content;
    let result = ask(&*lease, "odd.exit", json!({})).await;
    assert!(result.is_error && result.content.contains("was lost"), "{}", result.content);
    let after = ask(&*lease, "odd.pid", json!({})).await.content;
    assert_ne!(before, after);
    eventually("the end of the first", async || !is_running(&before)).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_broken_definition_hides_no_other_tool_and_is_a_warning() {
    use tarsy_contracts::status::Warning;
    use tarsy_contracts::topology;

    let stack = stack("broken-tool, twice", "").await;
    let lease = stack.lease(&["odd"]).await;
    works(&*lease).await;
    assert_eq!(
        names(&*lease),
        [
            "echo",
            "broken",
            "exit",
            "huge",
            "huge_reversed",
            "silent",
            "shapeless",
            "pid",
            "ask",
            "steps",
            "raw",
            "typed"
        ]
    );
    let warning = async || {
        let warnings = stack.bus.kv(&topology::WARNINGS);
        warnings.get::<Warning>("mcp_tools.odd").await.unwrap()
    };
    eventually("the warning", async || warning().await.is_some()).await;
    let warning = warning().await.unwrap();
    assert_eq!(warning.server_id.as_deref(), Some("odd"));
    assert!(warning.details.contains("'broken'"), "{}", warning.details);
    assert!(warning.details.contains("'echo' is listed twice"), "{}", warning.details);
    stack.drain().await;
}

#[tokio::test]
async fn a_list_without_an_end_is_ended_here() {
    let stack = stack("same-cursor", "").await;
    let lease = stack.lease(&["odd"]).await;
    assert_eq!(names(&*lease).len(), 12, "the page of the repeated cursor is taken once");
    works(&*lease).await;
    stack.drain().await;
    let stack = self::stack("endless", "").await;
    let lease = stack.lease(&["odd"]).await;
    assert_eq!(names(&*lease).len(), 11 + 99, "a hundred pages are read");
    works(&*lease).await;
    stack.drain().await;
}

#[tokio::test]
async fn an_empty_page_is_not_the_end_of_a_list() {
    let stack = stack("empty-page", "").await;
    let lease = stack.lease(&["odd"]).await;
    assert_eq!(names(&*lease).last(), Some(&"more_2"));
    stack.drain().await;
}

#[tokio::test]
async fn a_server_that_stops_responding_ends_the_call_and_not_the_session() {
    let stack = stack("", ", call_timeout: 3s").await;
    let lease = stack.lease(&["odd"]).await;
    let result = ask(&*lease, "odd.silent", json!({})).await;
    assert!(result.is_error && result.content.contains("3.0 s"), "{}", result.content);
    works(&*lease).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_server_that_stays_after_the_end_of_its_input_is_ended() {
    let stack = stack("lingers", "").await;
    let lease = stack.lease(&["odd"]).await;
    works(&*lease).await;
    lease.close().await;
    eventually("the end of its process", async || processes(&stack.folder) == 0).await;
    stack.drain().await;
}

#[tokio::test]
async fn what_a_server_left_behind_is_ended_with_it() {
    let stack = stack("orphan, escape", "").await;
    let lease = stack.lease(&["odd"]).await;
    works(&*lease).await;
    eventually("all that it started", async || processes(&stack.folder) >= 3).await;
    lease.close().await;
    eventually("the end of all", async || processes(&stack.folder) == 0).await;
    stack.drain().await;
}
