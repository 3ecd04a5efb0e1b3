//! What the calls of the last hour say of each provider.

use tarsy_store::{Batch, NewLlmInteraction, Op};

use crate::setup::db;

#[tokio::test]
async fn the_calls_of_an_hour_are_counted_by_provider_with_the_newest_failure() {
    let db = db().await;
    let work = db.working().await;
    let call = |provider: &str, error: Option<&str>| {
        let call = NewLlmInteraction {
            provider: provider.to_owned(),
            error_message: error.map(str::to_owned),
            ..work.llm(None)
        };
        Batch::new().with(Op::LlmInteraction(call))
    };
    let long = format!("quota exceeded{}", "é".repeat(600));
    for (provider, error) in [
        ("fast", Some("no connection")),
        ("fast", Some(long.as_str())),
        ("fast", None),
        ("old", Some("long ago")),
        ("slow", None),
    ] {
        db.store.commit(work.fence, call(provider, error)).await.unwrap();
    }
    sqlx::query("update llm_interactions set created_at = now() - interval '61 minutes' where provider = 'old'")
        .execute(&db.raw)
        .await
        .unwrap();
    let found = db.store.list_provider_calls().await.unwrap();
    let counts: Vec<_> =
        found.iter().map(|one| (one.provider.as_str(), one.calls, one.failed)).collect();
    assert_eq!(counts, [("fast", 3, 2), ("slow", 1, 0)]);
    let failure = found[0].last_failure.as_ref().unwrap();
    assert_eq!(failure.session_id, work.fence.session_id);
    assert!(failure.at < found[0].last_call_at, "{failure:?}");
    assert!(failure.message.starts_with("quota exceeded"), "{failure:?}");
    assert_eq!(failure.message.chars().count(), 500);
    assert_eq!(found[1].last_failure, None);
}
