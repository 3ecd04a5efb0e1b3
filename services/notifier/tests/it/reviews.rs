//! Reviews: the message about the end of a session has buttons for them, and shows the last one.

use serde_json::{Value, json};
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_store::NewReview;

use crate::approvals::{buttons, with_buttons};
use crate::slack::Slack;
use crate::stack::{Alert, Stack};

async fn review(stack: &Stack, session_id: SessionId, review: Review, reviewer: &str) {
    let new = NewReview {
        session_id,
        review,
        actual_cause: Some("the actual cause".to_owned()),
        object: None,
        category: None,
        reviewer: reviewer.to_owned(),
    };
    stack.store.insert_review(new).await.unwrap();
}

async fn until_changed(stack: &Stack, server: &Slack, expected: &str) {
    stack
        .until(&format!("the message says {expected}"), async || {
            server.posted().iter().any(|one| one["blocks"].to_string().contains(expected))
        })
        .await;
}

#[tokio::test]
async fn the_message_of_an_end_changes_with_each_review() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    let id = stack.ended(Alert::default(), SessionStatus::Completed).await;
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    let message = server.posted().remove(0);
    let found = buttons(&message);
    let actions: Vec<&Value> = found.iter().map(|one| &one["action_id"]).collect();
    assert_eq!(actions, ["tarsy_open", "tarsy_review_accurate", "tarsy_review_wrong"]);
    assert_eq!(found[0]["url"], format!("https://tarsy.example/sessions/{id}"));
    assert!(found.iter().all(|one| one["value"] == json!(id)), "{found:#?}");

    review(&stack, id, Review::Wrong, "<!channel>").await;
    until_changed(&stack, &server, ":thumbsdown: *Reviewed as wrong* by &lt;!channel&gt; at ")
        .await;
    review(&stack, id, Review::Accurate, "rosa").await;
    until_changed(&stack, &server, ":thumbsup: *Reviewed as accurate* by rosa at ").await;
    let [only] = &server.posted()[..] else { panic!("one message") };
    let text = only["blocks"].to_string();
    assert!(
        text.contains("the disk was full") && text.contains("Investigation complete"),
        "{only:#}"
    );
    assert!(!text.contains("Reviewed as wrong") && !text.contains("the actual cause"), "{only:#}");
    assert_eq!(buttons(only).len(), 3, "the review can be changed");
    let blocks = only["blocks"].as_array().unwrap();
    let question = blocks.iter().find(|block| block["type"] == "input").unwrap();
    assert_eq!(question["block_id"], json!(format!("tarsy:ask:{id}")));
    assert_eq!(question["element"]["action_id"], json!("tarsy_ask"));
}

#[tokio::test]
async fn a_failed_session_and_an_app_without_a_secret_have_no_buttons() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    stack.ended(Alert::default(), SessionStatus::Failed).await;
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    assert_eq!(buttons(&server.posted()[0]), [] as [Value; 0]);

    let server = Slack::start().await;
    let stack = Stack::with_channel(&server).await;
    let _notifier = stack.notifier().await;
    let id = stack.ended(Alert::default(), SessionStatus::Completed).await;
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    assert_eq!(buttons(&server.posted()[0]), [] as [Value; 0]);
    review(&stack, id, Review::Partly, "rosa").await;
    until_changed(&stack, &server, "*Reviewed as partly accurate* by rosa").await;
}
