//! Buttons in Slack: signed requests that decide about tool calls.

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use reqwest::Method;
use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::{ApprovalId, SessionId};
use tarsy_domain::review::Review;
use tarsy_domain::triage::Triage;
use tarsy_service::ServiceContext;
use tarsy_testkit::{TestStack, WAIT, eventually, slack_signature};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::actions::{acted, call};
use crate::approvals::waiting;
use crate::reviews::ended;
use crate::stack::{Answer, Stack, send};

const PATH: &str = "/api/v1/slack/interactions";
const SECRET: &str = "the signing secret of the app";

/// A gateway with an app of Slack, and a server that takes its answers to people.
struct Fixture {
    stack: Stack,
    url: String,
    replies: mpsc::UnboundedReceiver<Value>,
    _folder: TempDir,
    _service: ServiceContext,
}

impl Fixture {
    async fn start() -> Self {
        let (sender, replies) = mpsc::unbounded_channel();
        let router = Router::new().route("/reply", post(take)).with_state(sender);
        let service = ServiceContext::default();
        let any_port = "127.0.0.1:0".parse().unwrap();
        let url =
            format!("http://{}", service.serve_http("slack", any_port, router).await.unwrap());
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "system:\n  slack:\n    api_url: '{url}/api'\n    signing_secret_env: SLACK_SIGNING_SECRET\n    \
             users:\n      U0ROSA: {{name: rosa, role: responder}}\n      U0OTTO: {{name: otto, role: \
             operator}}\n      U0VERA: {{name: vera, role: viewer}}\n"
        );
        std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
        let path = folder.path().display().to_string();
        let settings = [("TARSY_CONFIG_DIR", path.as_str()), ("SLACK_SIGNING_SECRET", SECRET)];
        let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
        Self { stack, url, replies, _folder: folder, _service: service }
    }

    /// What Slack sends when somebody uses a button of a call.
    fn click(&self, member: &str, action: &str, of: (SessionId, ApprovalId)) -> String {
        self.button(member, action, &format!("{}/{}/whole", of.0, of.1))
    }

    fn button(&self, member: &str, action: &str, value: &str) -> String {
        let payload = json!({
            "type": "block_actions",
            "user": {"id": member, "username": "whoever"},
            "response_url": format!("{}/reply", self.url),
            "actions": [{"type": "button", "action_id": action, "value": value}],
        });
        form(&payload)
    }

    async fn send(&self, body: String, signature: &str, timestamp: i64) -> Answer {
        let request = self.stack.request(Method::POST, PATH).body(body);
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .header("x-slack-request-timestamp", timestamp.to_string())
            .header("x-slack-signature", signature);
        send(request).await
    }

    /// Sends it as Slack does.
    async fn signed(&self, body: String) -> Answer {
        let now = SystemClock.now().as_second();
        let signature = slack_signature(SECRET, now, &body);
        self.send(body, &signature, now).await
    }

    /// The next answer to a person.
    async fn next_reply(&mut self) -> String {
        let reply = tokio::time::timeout(WAIT, self.replies.recv()).await.unwrap().unwrap();
        assert_eq!(
            (&reply["response_type"], &reply["replace_original"]),
            (&json!("ephemeral"), &json!(false))
        );
        reply["text"].as_str().unwrap().to_owned()
    }

    async fn decision(
        &self,
        of: (SessionId, ApprovalId),
    ) -> Option<(ApprovalDecision, Option<String>)> {
        let decision: (Option<String>, Option<String>) =
            sqlx::query_as("select decision, decided_by from tool_approvals where id = $1")
                .bind(of.1.uuid())
                .fetch_one(&self.stack.raw)
                .await
                .unwrap();
        Some((decision.0?.parse().unwrap(), decision.1))
    }

    /// Waits for an entry of the audit log about an approval.
    async fn audited(&self, of: (SessionId, ApprovalId), expected: (&str, &str, &str, u64)) {
        let object = format!("/api/v1/sessions/{}/approvals/{}", of.0, of.1);
        eventually("the audit log has the entry", async || {
            let log = self.stack.get("/api/v1/audit-log?action=decide_approval").await.body;
            log["entries"].as_array().unwrap().iter().any(|entry| {
                let found = (
                    &entry["principal"],
                    &entry["credential"],
                    &entry["outcome"],
                    &entry["status"],
                );
                let (principal, credential, outcome, status) = expected;
                entry["object"] == json!(object)
                    && found
                        == (&json!(principal), &json!(credential), &json!(outcome), &json!(status))
            })
        })
        .await;
    }
}

/// An interaction in the form that Slack sends it in.
fn form(payload: &Value) -> String {
    let query = [("payload", payload.to_string())];
    let url = reqwest::Url::parse_with_params("http://x/", query).unwrap();
    url.query().unwrap().to_owned()
}

async fn take(State(replies): State<mpsc::UnboundedSender<Value>>, Json(reply): Json<Value>) {
    replies.send(reply).unwrap();
}

#[tokio::test]
async fn a_click_approves_once_and_a_second_one_learns_who_decided() {
    let mut fixture = Fixture::start().await;
    let of = waiting(&fixture.stack).await;
    let answer = fixture.signed(fixture.click("U0ROSA", "tarsy_approve", of)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let rosa = Some((ApprovalDecision::Approved, Some("rosa".to_owned())));
    assert_eq!(fixture.decision(of).await, rosa);
    // What the agent that waits reads.
    assert!(fixture.stack.store.list_open_approvals(10).await.unwrap().is_empty());
    fixture.audited(of, ("rosa", "slack", "allowed", 200)).await;

    let answer = fixture.signed(fixture.click("U0OTTO", "tarsy_deny", of)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let reply = fixture.next_reply().await;
    assert!(reply.contains("approved already, by rosa"), "{reply}");
    assert_eq!(fixture.decision(of).await, rosa);
    fixture.audited(of, ("otto", "slack", "failed", 409)).await;
}

/// The buttons of messages that were posted before, and those of a message that shows less than the call.
#[tokio::test]
async fn a_click_below_a_message_that_may_show_a_part_of_the_call_approves_nothing() {
    let mut fixture = Fixture::start().await;
    let of = waiting(&fixture.stack).await;
    let value = format!("{}/{}", of.0, of.1);
    for _ in ["the click", "the click again"] {
        let click = fixture.button("U0ROSA", "tarsy_approve", &value);
        assert_eq!(fixture.signed(click).await.status, 200);
        let reply = fixture.next_reply().await;
        assert!(reply.contains("may not show the whole call"), "{reply}");
        assert!(reply.contains(&format!("/sessions/{}", of.0)), "{reply}");
        assert_eq!(fixture.decision(of).await, None);
    }
    fixture.audited(of, ("rosa", "slack", "failed", 409)).await;

    let click = fixture.button("U0ROSA", "tarsy_deny", &value);
    assert_eq!(fixture.signed(click).await.status, 200);
    let denied = Some((ApprovalDecision::Denied, Some("rosa".to_owned())));
    assert_eq!(fixture.decision(of).await, denied);
}

#[tokio::test]
async fn a_click_denies_and_one_about_an_unknown_call_changes_nothing() {
    let mut fixture = Fixture::start().await;
    let of = waiting(&fixture.stack).await;
    let foreign = (SessionId::new(), of.1);
    assert_eq!(fixture.signed(fixture.click("U0OTTO", "tarsy_deny", foreign)).await.status, 200);
    let reply = fixture.next_reply().await;
    assert!(reply.contains("no longer known"), "{reply}");
    assert_eq!(fixture.signed(fixture.click("U0OTTO", "tarsy_deny", of)).await.status, 200);
    let otto = Some((ApprovalDecision::Denied, Some("otto".to_owned())));
    assert_eq!(fixture.decision(of).await, otto);
}

#[tokio::test]
async fn a_click_rolls_back_the_call_that_its_message_shows_once_and_with_the_role() {
    let mut fixture = Fixture::start().await;
    let (session, action) = acted(&fixture.stack, true).await;
    let value = |shown: &str| format!("{session}/{action}/{shown}");
    let (shown, other) = (value(&call("undo").digest()), value(&call("delete").digest()));
    let rolled_back = async |fixture: &Fixture| {
        let detail = fixture.stack.get(&format!("/api/v1/sessions/{session}")).await.body;
        detail["actions"][0]["rollback_by"].clone()
    };
    for (member, value, reply) in [
        ("U0VERA", &shown, "it takes the role responder"),
        ("U0NOBODY", &shown, "member id U0NOBODY to system.slack.users"),
        ("U0ROSA", &other, "is not the call that this message shows"),
    ] {
        let click = fixture.button(member, "tarsy_roll_back", value);
        assert_eq!(fixture.signed(click).await.status, 200);
        let text = fixture.next_reply().await;
        assert!(text.contains(reply), "{text}");
        assert_eq!(rolled_back(&fixture).await, Value::Null);
    }
    let click = || fixture.button("U0ROSA", "tarsy_roll_back", &shown);
    let (first, second) = (click(), click());
    assert_eq!(fixture.signed(first).await.status, 200);
    let text = fixture.next_reply().await;
    assert!(text.contains(&format!("/sessions/{session}")), "{text}");
    assert_eq!(rolled_back(&fixture).await, json!("rosa"));
    assert_eq!(fixture.signed(second).await.status, 200);
    let text = fixture.next_reply().await;
    assert!(text.starts_with("No change: "), "{text}");
    eventually("the audit log has the clicks", async || {
        let log = fixture.stack.get("/api/v1/audit-log?action=roll_back_action").await.body;
        let mut found: Vec<(String, i64)> = log["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                (one["principal"].as_str().unwrap().to_owned(), one["status"].as_i64().unwrap())
            })
            .collect();
        found.sort();
        let expected =
            [("rosa", 202), ("rosa", 409), ("rosa", 409), ("slack:U0NOBODY", 403), ("vera", 403)];
        found == expected.map(|(name, status)| (name.to_owned(), status))
    })
    .await;
}

#[tokio::test]
async fn only_members_with_the_role_decide() {
    let mut fixture = Fixture::start().await;
    let of = waiting(&fixture.stack).await;
    for (member, expected, principal, credential) in [
        ("U0VERA", "it takes the role responder", "vera", "slack"),
        ("U0NOBODY", "member id U0NOBODY to system.slack.users", "slack:U0NOBODY", "none"),
    ] {
        let answer = fixture.signed(fixture.click(member, "tarsy_approve", of)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let reply = fixture.next_reply().await;
        assert!(reply.contains(expected), "{reply}");
        fixture.audited(of, (principal, credential, "denied", 403)).await;
    }
    assert_eq!(fixture.decision(of).await, None);
}

#[tokio::test]
async fn what_slack_did_not_sign_now_is_refused() {
    let fixture = Fixture::start().await;
    let of = waiting(&fixture.stack).await;
    let body = fixture.click("U0ROSA", "tarsy_approve", of);
    let now = SystemClock.now().as_second();
    let denied = fixture.click("U0ROSA", "tarsy_deny", of);
    for (what, sent, signature, timestamp) in [
        ("another secret", &body, slack_signature("another", now, &body), now),
        ("another body", &body, slack_signature(SECRET, now, &denied), now),
        ("another time", &body, slack_signature(SECRET, now - 1, &body), now),
        ("recorded", &body, slack_signature(SECRET, now - 301, &body), now - 301),
        ("of the future", &body, slack_signature(SECRET, now + 310, &body), now + 310),
        ("no signature", &body, "v0=".to_owned(), now),
    ] {
        let answer = fixture.send(sent.clone(), &signature, timestamp).await;
        assert_eq!(answer.status, 401, "{what}: {answer:?}");
        assert!(!answer.body.to_string().contains(SECRET), "{answer:?}");
    }
    let bare = send(fixture.stack.request(Method::POST, PATH).body(body)).await;
    assert_eq!(bare.status, 401, "{bare:?}");
    assert_eq!(fixture.decision(of).await, None);
    eventually("the first refusal is in the audit log, and the others are counted", async || {
        let log = fixture.stack.get("/api/v1/audit-log?action=slack_interaction").await.body;
        let entries = log["entries"].as_array().unwrap();
        entries.len() == 1 && entries.iter().all(|one| one["outcome"] == "denied")
    })
    .await;
}

#[tokio::test]
async fn a_body_is_bounded_and_nonsense_is_named() {
    let fixture = Fixture::start().await;
    let answer = fixture.signed("payload=".to_owned() + &"x".repeat(2 * 1024 * 1024)).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    let answer = fixture.signed("payload=nonsense".to_owned()).await;
    assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec!["payload"]), "{answer:?}");
    let other =
        r#"payload={"type":"block_actions","user":{"id":"U1"},"actions":[{"action_id":"open"}]}"#;
    assert_eq!(fixture.signed(other.to_owned()).await.status, 200);
}

#[tokio::test]
async fn without_a_signing_secret_there_is_no_such_route() {
    let stack = Stack::start().await;
    let now = SystemClock.now().as_second();
    let request = stack.request(Method::POST, PATH).body("payload={}");
    let request = request
        .header("x-slack-request-timestamp", now.to_string())
        .header("x-slack-signature", slack_signature("", now, "payload={}"));
    assert_eq!(send(request).await.status, 404);
}

#[tokio::test]
async fn a_click_reviews_a_session_for_those_who_may() {
    let mut fixture = Fixture::start().await;
    let id = ended(&fixture.stack, &json!({"data": "the disk is full"})).await;
    let value = id.to_string();
    let click = async |fixture: &Fixture, member: &str, action: &str| {
        let answer = fixture.signed(fixture.button(member, action, &value)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    };
    let counts = async |fixture: &Fixture| {
        fixture.stack.store.list_reviews(id).await.unwrap().unwrap().into_iter().next()
    };
    click(&fixture, "U0VERA", "tarsy_review_wrong").await;
    assert!(fixture.next_reply().await.contains("it takes the role responder"));
    assert_eq!(counts(&fixture).await, None);

    click(&fixture, "U0ROSA", "tarsy_review_wrong").await;
    assert!(fixture.next_reply().await.contains("what the actual cause was"));
    let review = counts(&fixture).await.unwrap();
    assert_eq!((review.review, review.reviewer.as_str()), (Review::Wrong, "rosa"));
    click(&fixture, "U0OTTO", "tarsy_review_wrong").await;
    assert!(fixture.next_reply().await.contains("wrong already, by rosa"));
    click(&fixture, "U0OTTO", "tarsy_review_accurate").await;
    let review = counts(&fixture).await.unwrap();
    assert_eq!((review.review, review.reviewer.as_str()), (Review::Accurate, "otto"));
    eventually("the audit log has the clicks", async || {
        let log = fixture.stack.get("/api/v1/audit-log?action=review_session").await.body;
        let entries = log["entries"].as_array().unwrap();
        let of = |principal: &str, outcome: &str| {
            entries.iter().any(|one| {
                one["principal"] == principal
                    && one["outcome"] == outcome
                    && one["credential"] == "slack"
                    && one["object"] == json!(format!("/api/v1/sessions/{id}/review"))
            })
        };
        entries.len() == 4 && of("vera", "denied") && of("rosa", "allowed") && of("otto", "allowed")
    })
    .await;

    let waits = fixture.stack.pending().await.to_string();
    let body = fixture.button("U0ROSA", "tarsy_review_accurate", &waits);
    assert_eq!(fixture.signed(body).await.status, 200);
    assert!(fixture.next_reply().await.contains("the session is pending"));
}

#[tokio::test]
async fn a_click_takes_a_session_for_those_who_may_and_names_who_has_it() {
    let mut fixture = Fixture::start().await;
    let id = ended(&fixture.stack, &json!({"data": "the disk is full"})).await;
    let value = id.to_string();
    let click = async |fixture: &Fixture, member: &str, action: &str| {
        let answer = fixture.signed(fixture.button(member, action, &value)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    };
    let work = async |fixture: &Fixture| {
        let triage = fixture.stack.store.find_triage(id).await.unwrap().unwrap();
        (triage.triage, triage.assignee)
    };
    click(&fixture, "U0VERA", "tarsy_take").await;
    assert!(fixture.next_reply().await.contains("it takes the role responder"));
    click(&fixture, "U0ROSA", "tarsy_take").await;
    assert_eq!(work(&fixture).await, (Triage::Taken, Some("rosa".to_owned())));
    for action in ["tarsy_take", "tarsy_done"] {
        click(&fixture, "U0OTTO", action).await;
        assert!(fixture.next_reply().await.contains("taken by rosa"));
    }
    click(&fixture, "U0OTTO", "tarsy_take_over").await;
    click(&fixture, "U0OTTO", "tarsy_done").await;
    assert_eq!(work(&fixture).await, (Triage::Done, Some("otto".to_owned())));
    click(&fixture, "U0ROSA", "tarsy_reopen").await;
    assert_eq!(work(&fixture).await, (Triage::New, None));
    eventually("the audit log has the clicks", async || {
        let log = fixture.stack.get("/api/v1/audit-log?action=triage_session").await.body;
        let entries = log["entries"].as_array().unwrap();
        let with = |outcome: &str| entries.iter().filter(|one| one["outcome"] == outcome).count();
        (with("denied"), with("allowed"), with("failed")) == (1, 4, 2)
    })
    .await;
}

#[tokio::test]
async fn a_question_is_stored_for_those_who_may_ask_and_confirmed_to_them_alone() {
    let mut fixture = Fixture::start().await;
    let id = ended(&fixture.stack, &json!({"data": "the disk is full"})).await;
    let asked = "select count(*) from chat_user_messages where author = 'rosa'";
    for (member, text, expected) in [
        ("U0VERA", "why?", "it takes the role responder".to_owned()),
        ("U0NOBODY", "why?", "member id U0NOBODY".to_owned()),
        ("U0ROSA", "  ", "content: is blank".to_owned()),
        ("U0ROSA", "why is it full?", format!("/sessions/{id}")),
        ("U0ROSA", "and now?", "another question is being answered".to_owned()),
    ] {
        let payload = json!({
            "type": "block_actions", "user": {"id": member},
            "response_url": format!("{}/reply", fixture.url),
            "actions": [{"action_id": "tarsy_ask", "block_id": format!("tarsy:ask:{id}"), "value": text}],
        });
        let answer = fixture.signed(form(&payload)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let reply = fixture.next_reply().await;
        assert!(reply.contains(&expected), "{reply}");
    }
    assert_eq!(fixture.stack.count(asked).await.unwrap(), 1);
    eventually("the audit log has the questions", async || {
        let log = fixture.stack.get("/api/v1/audit-log?action=ask").await.body;
        let entries = log["entries"].as_array().unwrap();
        let of = |outcome: &str| entries.iter().filter(|one| one["outcome"] == outcome).count();
        (of("denied"), of("allowed"), of("failed")) == (2, 1, 2)
    })
    .await;
}
