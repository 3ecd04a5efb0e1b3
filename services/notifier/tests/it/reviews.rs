//! Reviews: the message about the end of a session has buttons for them, and shows the last one.

use serde_json::{Value, json};
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::triage::Triage;
use tarsy_store::{NewReview, TriageChange};

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
    let expected =
        ["tarsy_open", "tarsy_review_accurate", "tarsy_review_wrong", "tarsy_take", "tarsy_done"];
    assert_eq!(actions, expected);
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
    assert_eq!(buttons(only).len(), 5, "the review can be changed");
    let blocks = only["blocks"].as_array().unwrap();
    let question = blocks.iter().find(|block| block["type"] == "input").unwrap();
    assert_eq!(question["block_id"], json!(format!("tarsy:ask:{id}")));
    assert_eq!(question["element"]["action_id"], json!("tarsy_ask"));
}

#[tokio::test]
async fn a_failed_session_has_no_buttons_for_reviews_and_an_app_without_a_secret_has_none() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    stack.ended(Alert::default(), SessionStatus::Failed).await;
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    let posted = server.posted();
    let found = buttons(&posted[0]);
    let actions: Vec<&Value> = found.iter().map(|one| &one["action_id"]).collect();
    assert_eq!(actions, ["tarsy_open", "tarsy_take", "tarsy_done"]);

    let server = Slack::start().await;
    let stack = Stack::with_channel(&server).await;
    let _notifier = stack.notifier().await;
    let id = stack.ended(Alert::default(), SessionStatus::Completed).await;
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    assert_eq!(buttons(&server.posted()[0]), [] as [Value; 0]);
    review(&stack, id, Review::Partly, "rosa").await;
    until_changed(&stack, &server, "*Reviewed as partly accurate* by rosa").await;
}

#[tokio::test]
async fn the_message_of_an_end_shows_who_has_taken_and_done_the_session() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    let id = stack.ended(Alert::default(), SessionStatus::Completed).await;
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    let change = async |author: &str, triage, takes_over| {
        let change = TriageChange {
            session_id: id,
            entry_id: TriageEntryId::new(),
            author: author.to_owned(),
            triage: Some(triage),
            assignee: None,
            note: Some("a note".to_owned()),
            takes_over,
        };
        stack.store.change_triage(change).await.unwrap();
    };
    change("<!channel>", Triage::Taken, false).await;
    until_changed(&stack, &server, ":eyes: *Taken* by &lt;!channel&gt; at ").await;
    review(&stack, id, Review::Accurate, "rosa").await;
    change("rosa", Triage::Done, true).await;
    until_changed(&stack, &server, ":ballot_box_with_check: *Done* by rosa at ").await;
    until_changed(&stack, &server, "*Reviewed as accurate* by rosa").await;
    let [only] = &server.posted()[..] else { panic!("one message") };
    let text = only["blocks"].to_string();
    assert!(!text.contains("*Taken*") && !text.contains("a note"), "{only:#}");
    let found = buttons(only);
    assert_eq!(found.last().unwrap()["action_id"], "tarsy_reopen");
    change("rosa", Triage::New, false).await;
    stack
        .until("the message has no assignee", async || {
            !server.posted()[0]["blocks"].to_string().contains("*Done*")
        })
        .await;
}
