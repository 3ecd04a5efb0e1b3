//! The line before a provider that answers only so many calls at once.

use tarsy_catalog::ResolvedProvider;
use tarsy_llm::Admission;
use tarsy_service::{Lease, ModelQueue, Place};

use crate::journal::StopReason;

/// Waits until a call may be sent; `behind` is called with the number of calls before it, whenever that changes.
pub(crate) async fn wait_in_line<F>(
    (queue, lease): (&ModelQueue, &Lease),
    provider: &ResolvedProvider,
    behind: impl Fn(u32) -> F + Send,
) -> Result<Admission, StopReason>
where
    F: Future<Output = ()> + Send,
{
    let Some(most) = provider.max_concurrent_requests else { return Ok(Admission::default()) };
    let mut line = queue.join(lease, &provider.name, most);
    loop {
        match line.next().await? {
            Place::First => return Ok(Admission::holding(line.into_turn())),
            Place::Behind(calls) => behind(calls).await,
        }
    }
}

/// What people are shown of a call that waits.
pub(crate) fn message(calls: u32) -> String {
    format!("waiting for the model: {calls} before it")
}
