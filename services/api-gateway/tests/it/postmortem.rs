//! Postmortems and prevention over HTTP.

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::json;
use tarsy_contracts::postmortem::{PostmortemFact, ProseSentence};
use tarsy_domain::id::SessionId;
use tarsy_domain::postmortem::ProseSection;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{NewProse, ProseEnd, ProseRequest, WrittenProse};
use tarsy_testkit::eventually;

use crate::chat::{LEASE, over};
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

/// What a model wrote of a session.
async fn written(stack: &Stack, id: SessionId) {
    let made = stack.get(&format!("/api/v1/sessions/{id}/postmortem")).await.body;
    let text = format!("The alert: {}", made["title"].as_str().unwrap());
    let fact = PostmortemFact { id: "F1".to_owned(), text, source: "the record".to_owned() };
    let new = NewProse {
        session_id: id,
        writer: json!({}),
        facts: vec![fact],
        requested_by: "rosa".to_owned(),
        replaces_edited: false,
    };
    assert_eq!(stack.store.request_prose(new).await.unwrap(), ProseRequest::Added);
    let waiting = stack.get(&format!("/api/v1/sessions/{id}/postmortem?format=markdown")).await;
    assert!(!waiting.body.as_str().unwrap().contains("written by the model"), "{waiting:?}");
    let claim = stack.store.claim_prose("writer", LEASE).await.unwrap().unwrap();
    let sentence = ProseSentence {
        section: ProseSection::Summary,
        text: "The disk was full, says @team.".to_owned(),
        facts: vec!["F1".to_owned()],
    };
    let written = WrittenProse {
        sentences: vec![sentence],
        left_out: 1,
        prompt_version: "abc".to_owned(),
        provider: "team".to_owned(),
        model: "writer-large".to_owned(),
    };
    stack.store.finish_prose(claim.fence, ProseEnd::Completed(written), None).await.unwrap();
}

#[tokio::test]
async fn prose_of_a_model_is_marked_shown_with_its_facts_and_edited_by_people() {
    let stack = Stack::start().await;
    let id = over(&stack, SessionStatus::Completed).await;
    let path = format!("/api/v1/sessions/{id}/postmortem");
    let prose = format!("{path}/prose");
    let ask = async |body| send(stack.request(Method::POST, &prose).json(&body)).await;
    let edit = async |body| send(stack.request(Method::PUT, &prose).json(&body)).await;
    let texts = json!({"summary": "The log was full, password=hunter2hunter2.", "what_happened": "", "lessons": ""});
    // The offline analyst writes none.
    let refused = ask(json!({})).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(
        refused.body["detail"].as_str().unwrap().contains("executive_summary_provider"),
        "{refused:?}"
    );
    assert_eq!(ask(json!({"replace": 1})).await.fields(), ["replace"]);
    assert_eq!(edit(texts.clone()).await.status, 409);
    assert_eq!(edit(json!({"summary": 1})).await.fields(), ["summary", "what_happened", "lessons"]);

    written(&stack, id).await;
    let shown = stack.get(&path).await.body["prose"].clone();
    assert_eq!((&shown["status"], &shown["left_out"]), (&json!("completed"), &json!(1)));
    assert_eq!(shown["outdated"], true, "the record has more facts: {shown}");
    let text = stack.get(&format!("{path}?format=markdown")).await.body;
    let text = text.as_str().unwrap();
    for part in [
        "written by the model writer-large (team) from the facts below",
        "The disk was full, says @\u{200b}team. (F1)",
        "## Facts\n\n- F1: The alert: the disk is full (the record)",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let both = over(&stack, SessionStatus::Completed).await;
    let both = stack.get(&format!("{path}?with={both}")).await.body;
    assert!(both.get("prose").is_none(), "it is of one session: {both}");

    assert_eq!(edit(texts).await.status, 204);
    let edited = stack.get(&path).await.body["prose"]["edited"].clone();
    assert!(!edited.to_string().contains("hunter2hunter2") && edited["by"].is_string(), "{edited}");
    let text = stack.get(&format!("{path}?format=markdown")).await.body;
    let text = text.as_str().unwrap();
    assert!(text.contains("The log was full") && text.contains(" Edited by "), "{text}");
    assert!(!text.contains("The disk was full, says"), "{text}");
    eventually("the audit log has the edit", async || {
        let log =
            stack.get("/api/v1/audit-log?action=edit_postmortem_prose&outcome=allowed").await.body;
        !log["entries"].as_array().unwrap().is_empty()
    })
    .await;
}
