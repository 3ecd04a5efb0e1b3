//! The search over alerts, findings, tool calls and chats.

use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_store::{AlertQuota, Batch, Created, Op, SearchQuery, SessionQuery};

use crate::setup::{Db, alert, call_end, close, db};

fn query(text: &str) -> SearchQuery {
    SearchQuery { text: text.to_owned(), filter: SessionQuery::default(), limit: 20, after: None }
}

async fn found(db: &Db, query: &SearchQuery) -> Vec<SessionId> {
    let page = db.store.search(query).await.unwrap();
    page.hits.iter().map(|hit| hit.session.id).collect()
}

#[tokio::test]
async fn names_addresses_and_parts_of_ids_are_found_in_an_alert() {
    let db = db().await;
    let mut one = alert();
    "HTTP 503 of checkout-7d9f-x2x9k at 10.0.3.7:80, \"OOMKilled\"".clone_into(&mut one.alert_data);
    let one = db.create(one).await;
    let other = db.pending().await;
    for text in [
        "checkout-7d9f-x2x9k",
        "7d9f-x2x9k",
        "x2x",
        "10.0.3.7",
        "10.0.3",
        "oomkilled",
        "http 503",
        "503 checkout",
        &one.to_string(),
        &one.to_string()[24..],
    ] {
        assert_eq!(found(&db, &query(text)).await, [one], "{text}");
    }
    assert_eq!(found(&db, &query("web-7f9.default")).await, [other]);
    for text in ["nothing", "checkout-x2x9k", "10.0.3.8", "' | !(", "\0", "web checkout"] {
        assert!(found(&db, &query(text)).await.is_empty(), "{text}");
    }
    let filter = SessionQuery { statuses: vec![SessionStatus::Failed], ..SessionQuery::default() };
    assert!(found(&db, &SearchQuery { filter, ..query("oomkilled") }).await.is_empty());
}

#[tokio::test]
async fn an_alert_with_quotas_is_found_once_its_event_is_marked() {
    let db = db().await;
    let quota = AlertQuota {
        principal: "ann".to_owned(),
        idempotency_key: None,
        per_minute: None,
        pending_sessions: Some(10),
    };
    let Ok(Created::New { session_id, events }) =
        db.store.insert_admitted_session(alert(), quota).await.unwrap()
    else {
        panic!("it is within its quotas")
    };
    let marks: Vec<_> = events.iter().map(|event| (event.session_id, event.seq)).collect();
    for _ in 0..2 {
        db.store.set_published(&marks).await.unwrap();
        assert_eq!(found(&db, &query("web-7f9.default")).await, [session_id]);
    }
    let other = db.pending().await;
    assert_eq!(found(&db, &query("web-7f9.default")).await, [other, session_id]);
}

#[tokio::test]
async fn a_tool_call_and_a_finding_are_found_with_their_steps() {
    let db = db().await;
    let work = db.working().await;
    let (shown, finding) =
        (work.streaming(), work.open(TimelineKind::FinalAnalysis, TimelineStatus::Streaming));
    let call = work.call(shown.id);
    let batch = Batch::new()
        .with(Op::OpenEvent(shown.clone()))
        .with(Op::OpenEvent(finding.clone()))
        .with(Op::CallStarted(call.clone()))
        .with(Op::CallFinished(call_end(&call, "the volume pvc-123 is read-only")))
        .with(Op::CloseEvent(close(&finding, "The volume pvc-123 has a broken disk.")));
    db.store.commit(work.fence, batch).await.unwrap();
    let page = db.store.search(&query("pvc-123")).await.unwrap();
    let [hit] = &page.hits[..] else { panic!("{page:?}") };
    let matches: Vec<_> = hit
        .matches
        .iter()
        .map(|one| (one.kind.as_str(), one.timeline_event_id, one.call_number))
        .collect();
    assert_eq!(
        matches,
        [("final_analysis", Some(finding.id), None), ("tool_call", Some(shown.id), Some(1))]
    );
    let range = hit.matches[0].ranges[0];
    assert_eq!(&hit.matches[0].excerpt[range.start..range.end], "pvc-123");
    assert_eq!(page.next_cursor, None);
}

#[tokio::test]
async fn pages_of_a_search_are_disjoint_and_complete() {
    let db = db().await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(db.pending().await);
    }
    made.reverse();
    let (mut seen, mut after) = (Vec::new(), None);
    for _ in 0..3 {
        let page =
            db.store.search(&SearchQuery { limit: 2, after, ..query("disk") }).await.unwrap();
        seen.extend(page.hits.iter().map(|hit| hit.session.id));
        after = page.next_cursor.map(|cursor| cursor.parse().unwrap());
    }
    assert_eq!((seen, after), (made, None));
}

#[tokio::test]
async fn sessions_that_are_older_than_the_search_are_filled_in() {
    let db = db().await;
    let session = db.pending().await;
    sqlx::raw_sql(
        "delete from search_documents;
         insert into search_backfill (created_at, session_id) select created_at, id from alert_sessions",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    assert!(found(&db, &query("disk")).await.is_empty());
    assert_eq!(db.store.fill_search().await.unwrap(), 1);
    assert_eq!(db.store.fill_search().await.unwrap(), 0);
    assert_eq!(found(&db, &query("disk")).await, [session]);
}

#[tokio::test]
async fn a_deleted_session_is_not_found() {
    let db = db().await;
    db.pending().await;
    sqlx::query("update alert_sessions set deleted_at = now()").execute(&db.raw).await.unwrap();
    assert!(found(&db, &query("disk")).await.is_empty());
    sqlx::query("delete from alert_sessions").execute(&db.raw).await.unwrap();
    assert_eq!(db.count("select count(*) from search_documents").await, 0);
}
