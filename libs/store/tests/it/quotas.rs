//! Quotas of senders, which hold for all replicas.

use std::time::Duration;

use futures::future::join_all;
use tarsy_contracts::work::IdempotencyKey;
use tarsy_store::{
    Admission, AlertQuota, Batch, DailyTokens, DailyUsage, NewLlmInteraction, NewSession, Op,
    SpentBy,
};

use crate::setup::{Db, alert, db};

fn quota(principal: &str) -> AlertQuota {
    AlertQuota { principal: principal.to_owned(), ..AlertQuota::default() }
}

/// Moves all windows to the minute before this one.
async fn a_minute_later(db: &Db) {
    sqlx::query("update quota_windows set started_at = started_at - interval '1 minute'")
        .execute(&db.raw)
        .await
        .unwrap();
}

/// The number of requests that were admitted of ten at once, in one minute of the database's clock.
async fn admitted_of_ten(db: &Db, quota: AlertQuota) -> usize {
    let admissions = join_all((0..10).map(|_| db.store.admit_alert(quota.clone()))).await;
    let mut admitted = 0;
    for admission in admissions {
        match admission.unwrap() {
            Admission::Admitted => admitted += 1,
            Admission::RateExceeded { retry_after } => {
                assert!(retry_after <= Duration::from_mins(1) && !retry_after.is_zero());
            }
            other => panic!("{other:?}"),
        }
    }
    admitted
}

#[tokio::test]
async fn a_sender_has_so_many_requests_in_a_minute_and_others_have_their_own() {
    let db = db().await;
    // At the end of a minute, the first requests may be of one window and the last of the next.
    let limited = |principal| AlertQuota { per_minute: Some(3), ..quota(principal) };
    let first = admitted_of_ten(&db, limited("user:alice")).await;
    assert!(matches!(first, 3..=6), "{first}");
    a_minute_later(&db).await;
    let next = admitted_of_ten(&db, limited("user:alice")).await;
    assert!(matches!(next, 3..=6), "{next}");
    assert!(admitted_of_ten(&db, limited("token:1")).await >= 3);
    assert_eq!(admitted_of_ten(&db, quota("user:bob")).await, 10, "no limit");
    let questions = join_all((0..5).map(|_| db.store.admit_question("user:alice".to_owned(), 2)));
    let questions = questions.await.into_iter().map(Result::unwrap);
    let admitted = questions.filter(|one| *one == Admission::Admitted).count();
    assert!(matches!(admitted, 2..=4), "questions and alerts are counted apart: {admitted}");
}

#[tokio::test]
async fn only_so_many_sessions_wait_and_an_alert_that_is_known_is_always_admitted() {
    let db = db().await;
    let key = IdempotencyKey {
        principal: "user:alice".to_owned(),
        key: "key-1".to_owned(),
        request_hash: "hash".to_owned(),
    };
    db.create(NewSession { idempotency: Some(key), ..alert() }).await;
    let limited = AlertQuota { pending_sessions: Some(2), ..quota("user:alice") };
    assert_eq!(db.store.admit_alert(limited.clone()).await.unwrap(), Admission::Admitted);
    db.pending().await;
    assert_eq!(db.store.admit_alert(limited.clone()).await.unwrap(), Admission::QueueFull);
    let again = AlertQuota { idempotency_key: Some("key-1".to_owned()), ..limited.clone() };
    assert_eq!(db.store.admit_alert(again.clone()).await.unwrap(), Admission::Known);
    let of_another = AlertQuota { principal: "user:bob".to_owned(), ..again };
    assert_eq!(db.store.admit_alert(of_another).await.unwrap(), Admission::QueueFull);
}

#[tokio::test]
async fn the_tokens_of_a_day_are_counted_for_who_submitted_or_asked() {
    let db = db().await;
    let of = |principal: &str| NewSession { principal: Some(principal.to_owned()), ..alert() };
    let alice = db.create(of("user:alice")).await;
    let work = db.begin(db.claim().await.unwrap().fence).await;
    let call = NewLlmInteraction { total_tokens: Some(70), ..work.llm(None) };
    db.store.commit(work.fence, Batch::new().with(Op::LlmInteraction(call))).await.unwrap();
    let usage = db.store.find_daily_usage(alice, None).await.unwrap();
    assert_eq!(usage, DailyUsage { total: 70, of_sender: 70 });
    let bob = db.create(of("user:bob")).await;
    let usage = db.store.find_daily_usage(bob, None).await.unwrap();
    assert_eq!(usage, DailyUsage { total: 70, of_sender: 0 });
    let check = async |principal: &str, total, of_sender| {
        let budget = DailyTokens { total, of_sender };
        match db.store.check_daily_tokens(principal.to_owned(), budget).await.unwrap() {
            Admission::TokensUsedUp { by, retry_after } => {
                assert!(retry_after <= Duration::from_hours(24) && !retry_after.is_zero());
                Some(by)
            }
            other => {
                assert_eq!(other, Admission::Admitted);
                None
            }
        }
    };
    assert_eq!(check("user:alice", None, None).await, None);
    assert_eq!(check("user:alice", Some(71), Some(71)).await, None);
    assert_eq!(check("user:alice", Some(70), Some(70)).await, Some(SpentBy::Sender));
    assert_eq!(check("user:bob", Some(70), Some(70)).await, Some(SpentBy::All));
    assert_eq!(check("user:bob", None, Some(70)).await, None);
}
