//! The steps of a shutdown, and the tasks that it waits for.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Cheap to clone; all clones share the tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifecycle {
    /// Step 1: no new lease is opened.
    pub(crate) draining: CancellationToken,
    /// Step 2: no lease remains.
    pub(crate) leases_ended: CancellationToken,
    /// Step 3: requests are no longer answered.
    pub(crate) stopped: CancellationToken,
    pub(crate) tasks: TaskTracker,
}
