//! Work that takes a processor for so long that it would hold up the tasks of an event loop.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// As many at once as there are processors: more would not be done sooner, and each thread keeps memory of the allocator and
/// of regular expressions, 4 to 5 MiB in an orchestrator. One that takes long leaves a place to others.
static PLACES: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(2, |count| count.get().max(2))));

/// Runs on a thread for blocking work; the error is that the work panicked. Work that has begun is finished though nobody waits
/// for it any more.
pub async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    // It is never closed.
    let place = PLACES.acquire().await.ok();
    spawn_blocking(move || {
        let done = work();
        drop(place);
        done
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_run_at_once_than_there_are_places_and_a_panic_leaves_its_own() {
        let most = PLACES.available_permits();
        for _ in 0..most * 2 {
            assert!(compute(|| panic!("on purpose")).await.unwrap_err().is_panic());
        }
        let (running, seen) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let all = (0..most * 8).map(|_| {
            let (running, seen) = (Arc::clone(&running), Arc::clone(&seen));
            compute(move || {
                seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                (0..1_000).for_each(|_| std::thread::yield_now());
                running.fetch_sub(1, Ordering::SeqCst);
            })
        });
        futures::future::try_join_all(all).await.unwrap();
        assert!((1..=most).contains(&seen.load(Ordering::SeqCst)), "{seen:?} of {most}");
        assert_eq!(PLACES.available_permits(), most);
    }
}
