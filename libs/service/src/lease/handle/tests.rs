use std::sync::atomic::{AtomicU32, Ordering};

use tarsy_store::Conflict;

use super::*;

fn lease() -> Lease {
    Lease::new(StopSignal::default(), CancellationToken::new())
}

/// An error with the code `unavailable`.
fn outage() -> StoreError {
    StoreError::Foreign { version: 1 }
}

fn conflict() -> StoreError {
    StoreError::Conflict(Conflict::NotOpen { what: "event" })
}

#[tokio::test]
async fn a_read_is_retried_until_the_outage_is_over() {
    let attempts = AtomicU32::new(0);
    let lease = lease();
    let read = lease.read(async || match attempts.fetch_add(1, Ordering::Relaxed) {
        0 => Err(outage()),
        attempt => Ok(attempt),
    });
    assert_eq!(read.await, Ok(1));
}

#[tokio::test]
async fn a_conflict_after_a_lost_answer_counts_as_written() {
    let attempts = AtomicU32::new(0);
    let lease = lease();
    let write = lease.write(async || match attempts.fetch_add(1, Ordering::Relaxed) {
        0 => Err(outage()),
        _ => Err(conflict()),
    });
    assert_eq!(write.await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_conflict_that_no_lost_answer_explains_stops_the_work() {
    let lease = lease();
    assert_eq!(lease.write(async || Err(conflict())).await, Err(StopReason::Stuck));
    assert_eq!(lease.stopped(), Some(StopReason::Stuck));
}

#[tokio::test]
async fn a_lost_lease_stops_the_work_at_the_first_write() {
    let lease = lease();
    let session = tarsy_domain::id::SessionId::new();
    let written = lease.write(async || Err(StoreError::Fenced { session })).await;
    assert_eq!(written, Err(StopReason::Fenced));
    assert_eq!(lease.stopped(), Some(StopReason::Fenced));
}

#[tokio::test]
async fn the_hard_stop_ends_the_wait_for_the_store() {
    let (signal, hard_stop) = (StopSignal::default(), CancellationToken::new());
    let lease = Lease::new(signal, hard_stop.clone());
    hard_stop.cancel();
    let read = lease.read::<(), _, _>(async || Err(outage())).await;
    assert_eq!(read, Err(StopReason::Shutdown));
}
