//! The prose of postmortems: asked for by a person, written under a lease of its own, and edited.

use serde_json::json;
use tarsy_contracts::postmortem::{PostmortemFact, ProseSentence, ProseTexts};
use tarsy_domain::event::LlmInteractionKind;
use tarsy_domain::id::SessionId;
use tarsy_domain::postmortem::{ProseFailure, ProseSection, ProseStatus};
use tarsy_domain::status::SessionStatus;
use tarsy_store::{
    Error, MAX_PROSE_REQUESTS, NewLlmInteraction, NewProse, ProseClaim, ProseEnd, ProseRequest,
    WrittenProse,
};
use tarsy_testkit::a_score_call;

use crate::setup::{Db, LEASE, db, end};

async fn ended(db: &Db) -> SessionId {
    let claimed = db.claimed().await;
    db.store.finish_session(claimed.fence, end(SessionStatus::Completed)).await.unwrap();
    claimed.session.id
}

fn facts() -> Vec<PostmortemFact> {
    let (id, text, source) = ("F1".to_owned(), "It was full\0.".to_owned(), "rosa".to_owned());
    vec![PostmortemFact { id, text, source }]
}

async fn request(db: &Db, session_id: SessionId, replaces_edited: bool) -> ProseRequest {
    let (writer, requested_by) = (json!({"providers": []}), "rosa".to_owned());
    let new = NewProse { session_id, writer, facts: facts(), requested_by, replaces_edited };
    db.store.request_prose(new).await.unwrap()
}

async fn claim(db: &Db) -> Option<ProseClaim> {
    db.store.claim_prose("writer-1", LEASE).await.unwrap()
}

fn call() -> NewLlmInteraction {
    NewLlmInteraction { kind: LlmInteractionKind::Postmortem, ..a_score_call() }
}

fn written() -> ProseEnd {
    ProseEnd::Completed(WrittenProse {
        sentences: vec![ProseSentence {
            section: ProseSection::Summary,
            text: "It was full.".to_owned(),
            facts: vec!["F1".to_owned()],
        }],
        left_out: 2,
        prompt_version: "abc".to_owned(),
        provider: "team".to_owned(),
        model: "writer-large".to_owned(),
    })
}

#[tokio::test]
async fn prose_survives_its_owner_and_is_written_once() {
    let db = db().await;
    let running = db.claimed().await.session.id;
    assert_eq!(
        request(&db, running, false).await,
        ProseRequest::NotEnded(SessionStatus::InProgress)
    );
    assert_eq!(request(&db, SessionId::new(), false).await, ProseRequest::NotFound);
    let id = ended(&db).await;
    assert!(claim(&db).await.is_none() && db.store.find_prose(id).await.unwrap().is_none());
    assert_eq!(request(&db, id, false).await, ProseRequest::Added);
    assert_eq!(request(&db, id, true).await, ProseRequest::Running);

    let first = claim(&db).await.unwrap();
    assert!(claim(&db).await.is_none(), "one owner at a time");
    assert_eq!((first.session.id, first.attempts), (id, 1));
    assert_eq!(first.facts[0]["text"], "It was full\u{fffd}.");
    db.store.renew_prose(first.fence, LEASE).await.unwrap();
    let events = db.store.add_prose_call(first.fence, call()).await.unwrap();
    assert_eq!(events[0].kind, "interaction.created");
    db.store.release_prose(first.fence).await.unwrap();

    let second = claim(&db).await.unwrap();
    assert_eq!(second.attempts, 1, "a graceful stop counts for nothing");
    let late = db.store.finish_prose(first.fence, written(), Some(call())).await;
    assert!(matches!(late, Err(Error::Fenced { session }) if session == id), "{late:?}");
    assert!(db.store.add_prose_call(first.fence, call()).await.is_err());
    db.store.finish_prose(second.fence, written(), Some(call())).await.unwrap();
    assert!(db.store.renew_prose(second.fence, LEASE).await.is_err(), "the fence is worthless");

    let shown = db.store.find_prose(id).await.unwrap().unwrap();
    assert_eq!((shown.status, shown.left_out), (ProseStatus::Completed, 2));
    assert_eq!(
        (shown.model.as_deref(), shown.requested_by.as_str()),
        (Some("writer-large"), "rosa")
    );
    assert_eq!(
        (shown.sentences[0].facts.as_slice(), shown.facts.len()),
        (["F1".to_owned()].as_slice(), 1)
    );
    let calls: i64 = sqlx::query_scalar(
        "select count(*) from llm_interactions where session_id = $1 and interaction_type = 'postmortem'",
    )
    .bind(id.uuid())
    .fetch_one(&db.raw)
    .await
    .unwrap();
    assert_eq!(calls, 2);
}

#[tokio::test]
async fn what_people_write_is_replaced_only_on_request() {
    let db = db().await;
    let id = ended(&db).await;
    let texts = ProseTexts { summary: "The log was full.".to_owned(), ..ProseTexts::default() };
    assert!(!db.store.edit_prose(id, &texts, "mia").await.unwrap(), "nothing was written");
    request(&db, id, false).await;
    let fence = claim(&db).await.unwrap().fence;
    db.store.finish_prose(fence, written(), None).await.unwrap();
    assert!(db.store.edit_prose(id, &texts, "mia").await.unwrap());
    let edited = db.store.find_prose(id).await.unwrap().unwrap().edited.unwrap();
    assert_eq!((edited.texts, edited.by.as_str()), (texts, "mia"));

    assert_eq!(request(&db, id, false).await, ProseRequest::Edited);
    assert_eq!(request(&db, id, true).await, ProseRequest::Added);
    let again = db.store.find_prose(id).await.unwrap().unwrap();
    assert!(again.edited.is_none() && again.sentences.is_empty(), "{again:?}");
    let fence = claim(&db).await.unwrap().fence;
    db.store.finish_prose(fence, ProseEnd::Failed(ProseFailure::Invalid), None).await.unwrap();
    let failed = db.store.find_prose(id).await.unwrap().unwrap();
    assert_eq!((failed.status, failed.failure), (ProseStatus::Failed, Some(ProseFailure::Invalid)));

    sqlx::query("update postmortem_prose set number = $1")
        .bind(MAX_PROSE_REQUESTS)
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(request(&db, id, false).await, ProseRequest::TooMany);
}
