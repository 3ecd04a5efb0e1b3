//! Blocks the calls of a tool until a test releases them.

use tokio::sync::watch;

/// Blocks the calls of one tool.
#[derive(Clone)]
pub struct Gate {
    entered: watch::Sender<usize>,
    open: watch::Sender<bool>,
}

impl Gate {
    pub(super) fn new() -> Self {
        Self { entered: watch::Sender::new(0), open: watch::Sender::new(false) }
    }

    /// Waits until this number of calls is blocked or has passed.
    pub async fn entered(&self, calls: usize) {
        let mut entered = self.entered.subscribe();
        if entered.wait_for(|count| *count >= calls).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Unblocks all calls, present and future.
    pub fn release(&self) {
        self.open.send_replace(true);
    }

    pub(super) async fn pass(&self) {
        self.entered.send_modify(|count| *count += 1);
        let mut open = self.open.subscribe();
        if open.wait_for(|open| *open).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
