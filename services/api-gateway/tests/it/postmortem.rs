//! Postmortems and prevention over HTTP.

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::json;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

use crate::chat::over;
use crate::stack::{Stack, send};

#[tokio::test]
async fn a_postmortem_is_read_as_json_and_as_markdown() {
    let stack = Stack::start().await;
    let id = over(&stack, SessionStatus::Completed).await;
    let review = json!({"review": "wrong", "actual_cause": "a full disk, password=hunter2hunter2"});
    let path = format!("/api/v1/sessions/{id}/review");
    assert_eq!(send(stack.request(Method::PUT, &path).json(&review)).await.status, 200);
    let path = format!("/api/v1/sessions/{id}/postmortem");
    let made = stack.get(&path).await;
    assert_eq!(made.status, 200, "{made:?}");
    assert_eq!(
        (&made.body["title"], &made.body["cause"]["state"]),
        (&json!("the disk is full"), &json!("reviewed"))
    );
    assert!(made.body["cause"]["text"].as_str().unwrap().starts_with("a full disk"), "{made:?}");
    assert_eq!(made.body["sessions"][0]["id"], json!(id));
    for request in [
        stack.request(Method::GET, &path).header(ACCEPT, "text/markdown"),
        stack.request(Method::GET, &format!("{path}?format=markdown")),
    ] {
        let text = send(request).await;
        assert_eq!(text.headers[CONTENT_TYPE], "text/markdown; charset=utf-8");
        let body = text.body.as_str().unwrap();
        assert!(body.starts_with("# Postmortem: the disk is full\n"), "{body}");
        assert!(
            body.contains("reviewed the finding as wrong") && !body.contains("hunter2"),
            "{body}"
        );
    }

    let other = over(&stack, SessionStatus::Failed).await;
    let both = stack.get(&format!("{path}?with={other},{id}")).await;
    assert_eq!(both.body["sessions"].as_array().unwrap().len(), 2, "{both:?}");
    let pending = stack.pending().await;
    let early = stack.get(&format!("{path}?with={pending}")).await;
    assert_eq!(early.status, 409);
    assert!(
        early.body["detail"].as_str().unwrap().contains("try again when it is over"),
        "{early:?}"
    );
    let wrong = stack.get(&format!("{path}?with=7&format=pdf")).await;
    assert_eq!((wrong.status.as_u16(), wrong.fields()), (400, vec!["with", "format"]));
    for nothing in [
        format!("/api/v1/sessions/{}/postmortem", SessionId::new()),
        format!("{path}?with={}", SessionId::new()),
    ] {
        assert_eq!(stack.get(&nothing).await.status, 404, "{nothing}");
    }

    let week = stack.get("/api/v1/prevention").await.body;
    assert_eq!(
        (&week["week"], &week["sessions"], &week["causes"]),
        (&json!(null), &json!(2), &json!([])),
        "{week}"
    );
    let earlier = week["previous_week"].as_str().unwrap();
    let earlier = stack.get(&format!("/api/v1/prevention?week={earlier}")).await.body;
    assert_eq!(
        (&earlier["week"], &earlier["sessions_before"]),
        (&week["previous_week"], &json!(0)),
        "{earlier}"
    );
    for week in ["2026-48", "9999-W01", "1999-W01"] {
        let wrong = stack.get(&format!("/api/v1/prevention?week={week}")).await;
        assert_eq!((wrong.status.as_u16(), wrong.fields()), (400, vec!["week"]), "{week}");
    }
}
