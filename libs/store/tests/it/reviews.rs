//! Reviews, what an alert states, and reviewed sessions about the same problem.

use tarsy_contracts::alert::{AlertFields, AlertLink};
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Batch, MAX_REVIEWS, NewReview, NewSession, Op, ReviewOutcome, SessionQuery};

use crate::setup::{Db, alert, db, end};

/// An alert with a fingerprint.
fn firing(fingerprint: &str) -> NewSession {
    let fields =
        AlertFields { fingerprint: Some(fingerprint.to_owned()), ..AlertFields::default() };
    NewSession { fields, ..alert() }
}

async fn ended(db: &Db, new: NewSession, finding: &str) -> SessionId {
    let id = db.create(new).await;
    let fence = db.claim().await.unwrap().fence;
    assert_eq!(fence.session_id, id);
    let mut how = end(SessionStatus::Completed);
    how.final_analysis = Some(finding.to_owned());
    db.store.finish_session(fence, how).await.unwrap();
    id
}

fn review(session_id: SessionId, review: Review) -> NewReview {
    NewReview {
        session_id,
        review,
        actual_cause: Some("a full disk".to_owned()),
        object: None,
        category: None,
        reviewer: "rosa".to_owned(),
    }
}

async fn add(db: &Db, new: NewReview) {
    let outcome = db.store.insert_review(new).await.unwrap();
    assert!(matches!(outcome, ReviewOutcome::Added(_)), "{outcome:?}");
}

async fn found(db: &Db, query: SessionQuery) -> Vec<SessionId> {
    let page = db.store.list_sessions(query).await.unwrap();
    assert_eq!(page.total_items, i64::try_from(page.items.len()).unwrap());
    page.items.iter().map(|item| item.id).collect()
}

#[tokio::test]
async fn what_an_alert_states_is_stored_and_listed() {
    let db = db().await;
    let fields = AlertFields {
        title: Some("Disk full\0".to_owned()),
        severity: Some("critical".to_owned()),
        service: Some("checkout".to_owned()),
        namespace: Some("shop".to_owned()),
        cluster: Some("eu-1".to_owned()),
        links: vec![AlertLink { title: "Graph".to_owned(), url: "https://a.example/".to_owned() }],
        labels: [("team".to_owned(), "a\0b".to_owned())].into(),
        fingerprint: Some("abc".to_owned()),
    };
    let id = db.create(NewSession { fields: fields.clone(), ..alert() }).await;
    let stored = db.store.find_session(id).await.unwrap().unwrap().fields;
    assert_eq!(stored.title.as_deref(), Some("Disk full\u{fffd}"));
    assert_eq!(stored.labels["team"], "a\u{fffd}b");
    assert_eq!((&stored.links, &stored.fingerprint), (&fields.links, &fields.fingerprint));
    let detail = db.store.find_session_detail(id).await.unwrap().unwrap();
    assert_eq!((&detail.item.links, &detail.labels), (&stored.links, &stored.labels));
    let item = detail.item;
    let shown = (item.title, item.severity, item.service, item.namespace, item.cluster);
    let expected =
        (stored.title, fields.severity, fields.service, fields.namespace, fields.cluster);
    assert_eq!((shown, item.fingerprint), (expected, fields.fingerprint));
    assert_eq!((item.review, item.earlier_sessions.count), (None, 0));

    let slack = NewSession { slack_message_fingerprint: Some("FIRING".to_owned()), ..alert() };
    let slack = db.create(slack).await;
    let stored = db.store.find_session(slack).await.unwrap().unwrap().fields;
    assert_eq!(
        stored,
        AlertFields { fingerprint: Some("FIRING".to_owned()), ..AlertFields::default() }
    );
}

#[tokio::test]
async fn earlier_sessions_with_the_same_fingerprint_are_counted() {
    let db = db().await;
    let first = db.create(firing("abc")).await;
    db.create(firing("other")).await;
    let second = db.create(firing("abc")).await;
    let third = db.create(firing("abc")).await;
    let query = SessionQuery { fingerprint: Some("abc".to_owned()), ..SessionQuery::default() };
    let page = db.store.list_sessions(query).await.unwrap();
    let earlier: Vec<_> = page
        .items
        .iter()
        .map(|item| (item.id, item.earlier_sessions.count, item.earlier_sessions.last_session_id))
        .collect();
    assert_eq!(earlier, [(third, 2, Some(second)), (second, 1, Some(first)), (first, 0, None)]);
}

#[tokio::test]
async fn the_last_review_counts_and_those_before_it_are_kept() {
    let db = db().await;
    let reviewed = ended(&db, alert(), "the disk").await;
    let other = ended(&db, alert(), "the disk").await;
    add(&db, review(reviewed, Review::Accurate)).await;
    let second = NewReview {
        actual_cause: None,
        reviewer: "otto\0".to_owned(),
        ..review(reviewed, Review::Wrong)
    };
    add(&db, second).await;
    let all = db.store.list_reviews(reviewed).await.unwrap().unwrap();
    let all: Vec<_> = all
        .iter()
        .map(|one| (one.review, one.reviewer.as_str(), one.actual_cause.as_deref()))
        .collect();
    assert_eq!(
        all,
        [(Review::Wrong, "otto\u{fffd}", None), (Review::Accurate, "rosa", Some("a full disk"))]
    );
    let item = db.store.find_session_detail(reviewed).await.unwrap().unwrap().item;
    assert_eq!(item.review, Some(Review::Wrong));

    let by = |reviewed, reviews| SessionQuery { reviewed, reviews, ..SessionQuery::default() };
    assert_eq!(found(&db, by(Some(true), vec![])).await, [reviewed]);
    assert_eq!(found(&db, by(Some(false), vec![])).await, [other]);
    assert_eq!(found(&db, by(None, vec![Review::Wrong, Review::Partly])).await, [reviewed]);
    assert!(found(&db, by(None, vec![Review::Accurate])).await.is_empty());
    assert_eq!(db.store.list_reviews(other).await.unwrap(), Some(vec![]));
    assert_eq!(db.store.list_reviews(SessionId::new()).await.unwrap(), None);
}

#[tokio::test]
async fn only_a_session_that_has_ended_is_reviewed_and_not_without_end() {
    let db = db().await;
    let waiting = db.pending().await;
    let outcome = db.store.insert_review(review(waiting, Review::Wrong)).await.unwrap();
    assert_eq!(outcome, ReviewOutcome::NotEnded(SessionStatus::Pending));
    let unknown = db.store.insert_review(review(SessionId::new(), Review::Wrong)).await.unwrap();
    assert_eq!(unknown, ReviewOutcome::NotFound);
    db.store.request_cancel(waiting).await.unwrap();
    let reviewed = ended(&db, alert(), "the disk").await;
    for _ in 0..MAX_REVIEWS {
        add(&db, review(reviewed, Review::Partly)).await;
    }
    let outcome = db.store.insert_review(review(reviewed, Review::Wrong)).await.unwrap();
    assert_eq!(outcome, ReviewOutcome::TooMany);
}

#[tokio::test]
async fn reviewed_sessions_with_the_same_fingerprint_are_found_the_newest_first() {
    let db = db().await;
    let accurate = ended(&db, firing("abc"), "the disk").await;
    let unreviewed = ended(&db, firing("abc"), "nobody knows").await;
    let wrong = ended(&db, firing("abc"), "the moon").await;
    let elsewhere = ended(&db, firing("other"), "the network").await;
    add(&db, review(accurate, Review::Accurate)).await;
    add(&db, review(wrong, Review::Wrong)).await;
    add(&db, review(elsewhere, Review::Accurate)).await;
    let now = db.create(firing("abc")).await;
    let seen = db.store.list_seen_before(now, 3).await.unwrap();
    let ids: Vec<_> = seen.iter().map(|one| one.session_id).collect();
    assert_eq!(ids, [wrong, accurate], "not {unreviewed}");
    assert_eq!((seen[0].review, seen[0].finding.as_deref()), (Review::Wrong, None));
    assert_eq!(seen[0].actual_cause.as_deref(), Some("a full disk"));
    assert_eq!(seen[1].finding.as_deref(), Some("the disk"));
    assert_eq!(db.store.list_seen_before(now, 1).await.unwrap().len(), 1);
    let without = db.pending().await;
    assert!(db.store.list_seen_before(without, 3).await.unwrap().is_empty());
}

#[tokio::test]
async fn sessions_whose_review_names_the_same_object_are_found_after_those() {
    let db = db().await;
    let about = |session, object: &str, category: &str| NewReview {
        object: Some(object.to_owned()),
        category: Some(category.to_owned()),
        ..review(session, Review::Partly)
    };
    let same = ended(&db, firing("abc"), "one").await;
    let by_service = ended(&db, firing("b"), "two").await;
    let by_category = ended(&db, firing("c"), "three").await;
    let other_category = ended(&db, firing("d"), "four").await;
    add(&db, about(same, "Postgres-0", "disk")).await;
    add(&db, about(by_service, "shop/Checkout", "memory")).await;
    add(&db, about(by_category, "postgres-0", "Disk")).await;
    add(&db, about(other_category, "postgres-0", "network")).await;
    let mut new = firing("abc");
    new.fields.service = Some("checkout".to_owned());
    new.fields.namespace = Some("shop".to_owned());
    let now = db.create(new).await;
    let seen = db.store.list_seen_before(now, 10).await.unwrap();
    let ids: Vec<_> = seen.iter().map(|one| one.session_id).collect();
    assert_eq!(ids, [same, by_category, by_service]);
}

#[tokio::test]
async fn what_an_investigation_was_given_stays_as_it_was() {
    let db = db().await;
    let before = ended(&db, firing("abc"), "the disk").await;
    add(&db, review(before, Review::Accurate)).await;
    let now = db.create(firing("abc")).await;
    assert_eq!(db.store.find_session(now).await.unwrap().unwrap().seen_before, None);
    let fence = db.claim().await.unwrap().fence;
    let seen = db.store.list_seen_before(now, 3).await.unwrap();
    db.store.commit(fence, Batch::new().with(Op::SetSeenBefore(seen.clone(), None))).await.unwrap();
    add(&db, review(before, Review::Wrong)).await;
    let stored = db.store.find_session(now).await.unwrap().unwrap();
    assert_eq!(stored.seen_before.as_ref(), Some(&seen));
    let detail = db.store.find_session_detail(now).await.unwrap().unwrap();
    assert_eq!((seen.len(), detail.seen_before), (1, seen));
}

#[tokio::test]
async fn sessions_of_a_fingerprint_are_found_by_an_index() {
    let db = db().await;
    sqlx::raw_sql(
        "insert into alert_sessions (id, alert_data, chain_id, status, config_snapshot, fingerprint)
         select gen_random_uuid(), 'disk', 'host', 'pending', '{}', 'f' || n from generate_series(1, 5000) n;
         analyze alert_sessions",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    let plan: Vec<String> = sqlx::query_scalar(
        "explain select id from alert_sessions s where s.deleted_at is null and s.fingerprint = 'f7'
         order by created_at desc limit 25",
    )
    .fetch_all(&db.raw)
    .await
    .unwrap();
    assert!(plan.concat().contains("alert_sessions_same_problem"), "{plan:#?}");
}

#[tokio::test]
async fn reviews_are_purged_with_their_session() {
    let db = db().await;
    let id = ended(&db, alert(), "the disk").await;
    add(&db, review(id, Review::Accurate)).await;
    add(&db, review(id, Review::Wrong)).await;
    sqlx::query("delete from alert_sessions where id = $1")
        .bind(id.uuid())
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(db.count("select count(*) from session_reviews").await, 0);
}
