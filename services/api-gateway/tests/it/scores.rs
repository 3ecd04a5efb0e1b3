//! Scores of sessions over HTTP: who may ask for one, when, and what is shown.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_domain::access::{Grant, Role};
use tarsy_domain::id::SessionId;
use tarsy_domain::score::ScoreFailure;
use tarsy_store::ScoreEnd;
use tarsy_testkit::{answer_score, eventually};

use crate::matrix::api_token;
use crate::reviews::ended;
use crate::stack::{Answer, Stack, send};

fn path(id: SessionId) -> String {
    format!("/api/v1/sessions/{id}/score")
}

async fn ask(stack: &Stack, token: &str, id: SessionId) -> Answer {
    send(stack.anonymous(Method::POST, &path(id)).bearer_auth(token)).await
}

#[tokio::test]
async fn a_score_is_asked_for_kept_shown_and_audited() {
    let stack = Stack::start().await;
    let id = ended(&stack, &json!({"data": "disk full"})).await;
    let viewer = api_token(&stack, "vera", &Grant::Role(Role::Viewer)).await;
    let responder = api_token(&stack, "rosa", &Grant::Role(Role::Responder)).await;
    assert_eq!(stack.get(&path(id)).await.body, json!({"score": null, "history": []}));
    assert_eq!(ask(&stack, &viewer, id).await.status, 403);
    let first = ask(&stack, &responder, id).await;
    assert_eq!(first.status, 202, "{first:?}");
    let busy = ask(&stack, &responder, id).await;
    assert_eq!(busy.status, 409, "{busy:?}");
    answer_score(&stack.store, 72, ScoreEnd::Completed(Ok(Vec::new()))).await.unwrap();
    assert_eq!(ask(&stack, &responder, id).await.status, 202);
    answer_score(&stack.store, 0, ScoreEnd::Failed(ScoreFailure::Invalid)).await.unwrap();
    let all = stack.get(&path(id)).await.body;
    assert_eq!(
        (&all["score"]["status"], &all["score"]["failure"], &all["score"]["score"]),
        (&json!("failed"), &json!("invalid"), &Value::Null)
    );
    let kept = &all["history"][0];
    assert_eq!(kept["id"], first.body["score_id"]);
    // A session that looked at nothing has at most 20, whatever a model says of it.
    assert_eq!((&kept["score"], &kept["model_score"]), (&json!(20), &json!(72)));
    assert_eq!((&kept["requested_by"], &kept["checks"]["looked"]), (&json!("rosa"), &json!(false)));
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!((&detail["score"], &detail["scoring"]["number"]), (&json!(20), &json!(2)));
    eventually("the audit log has all four", async || {
        let log = stack.get("/api/v1/audit-log?action=score_session").await.body;
        log["entries"].as_array().unwrap().len() == 4
    })
    .await;
}

#[tokio::test]
async fn lists_are_sorted_and_filtered_by_score_and_the_overview_sums_them_up() {
    let stack = Stack::start().await;
    let responder = api_token(&stack, "rosa", &Grant::Role(Role::Responder)).await;
    let scored = ended(&stack, &json!({"data": "disk full"})).await;
    ask(&stack, &responder, scored).await;
    answer_score(&stack.store, 9, ScoreEnd::Completed(Err(ScoreFailure::Failed))).await.unwrap();
    ended(&stack, &json!({"data": "another"})).await;
    let ids = async |query: &str| {
        let list = stack.get(&format!("/api/v1/sessions?{query}")).await.body;
        let sessions = list["sessions"].as_array().unwrap().iter();
        sessions.map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("sort_by=score").await, [scored.to_string()]);
    assert_eq!(ids("score_min=9").await, [scored.to_string()]);
    assert!(ids("score_min=10").await.is_empty());
    assert_eq!(stack.get("/api/v1/sessions?score_min=x").await.fields(), ["score_min"]);
    let overview = stack.get("/api/v1/overview/scores").await.body;
    let all = &overview["groups"][0];
    assert_eq!(
        (&all["dimension"], &all["mean"], &all["low"]),
        (&json!("all"), &json!(9), &json!(1))
    );
    assert_eq!(
        overview["agreement"],
        json!({"sessions": 0, "agreeing": 0, "kappa": null, "needed": 30})
    );
    assert_eq!(stack.get("/api/v1/overview/scores?from=2020-01-01").await.status, 400);
}

#[tokio::test]
async fn what_has_not_ended_or_is_unknown_is_not_scored() {
    let stack = Stack::start().await;
    let responder = api_token(&stack, "rosa", &Grant::Role(Role::Responder)).await;
    let waits = stack.pending().await;
    let refused = ask(&stack, &responder, waits).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.body["detail"].as_str().unwrap().contains("when it has ended"), "{refused:?}");
    assert_eq!(ask(&stack, &responder, SessionId::new()).await.status, 404);
    assert_eq!(stack.get(&path(SessionId::new())).await.status, 404);
}
