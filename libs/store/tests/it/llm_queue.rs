//! The line before a provider.

use std::time::Duration;

use futures::future::join_all;
use tarsy_domain::id::InteractionId;

use crate::setup::db;

const LEASE: Duration = Duration::from_mins(1);

#[tokio::test]
async fn calls_stand_in_line_by_provider_and_keep_their_places() {
    let db = db().await;
    let calls = [InteractionId::new(), InteractionId::new(), InteractionId::new()];
    let place = async |call: InteractionId, provider: &str| {
        db.store.take_llm_place(call, provider, LEASE).await.unwrap()
    };
    for (before, call) in (0..).zip(calls) {
        assert_eq!(place(call, "local").await, before);
    }
    assert_eq!(place(InteractionId::new(), "other").await, 0);
    assert_eq!(place(calls[2], "local").await, 2, "asking again changes nothing");
    db.store.leave_llm_queue(calls[0]).await.unwrap();
    db.store.leave_llm_queue(calls[0]).await.unwrap();
    assert_eq!((place(calls[1], "local").await, place(calls[2], "local").await), (0, 1));
}

#[tokio::test]
async fn a_call_whose_process_was_killed_loses_its_place_with_its_lease() {
    let db = db().await;
    let (gone, next) = (InteractionId::new(), InteractionId::new());
    let place = |call: InteractionId, lease| db.store.take_llm_place(call, "local", lease);
    assert_eq!(place(gone, Duration::ZERO).await.unwrap(), 0);
    assert_eq!(place(next, LEASE).await.unwrap(), 0);
    assert_eq!(place(gone, LEASE).await.unwrap(), 1, "it comes last if it was only paused");
}

#[tokio::test]
async fn calls_that_come_at_once_have_different_places() {
    let db = db().await;
    let places = join_all((0..8).map(async |_| {
        db.store.take_llm_place(InteractionId::new(), "local", LEASE).await.unwrap()
    }));
    let mut places = places.await;
    places.sort_unstable();
    assert_eq!(places, (0..8).collect::<Vec<u32>>());
}
