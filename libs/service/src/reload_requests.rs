//! Requests to read the configuration again, as the services of a process share them.

use std::sync::Arc;

use tokio::sync::watch;

/// Requests to start again, from the bus; cheap to clone. Several services of a process hear the same one.
#[derive(Clone, Debug)]
pub struct ReloadRequests {
    newest: Arc<watch::Sender<String>>,
}

impl Default for ReloadRequests {
    fn default() -> Self {
        Self { newest: Arc::new(watch::Sender::new(String::new())) }
    }
}

impl ReloadRequests {
    /// Those that arrive from now on.
    pub fn subscribe(&self) -> watch::Receiver<String> {
        self.newest.subscribe()
    }

    pub(crate) fn request(&self, id: &str) {
        self.newest.send_if_modified(|newest| {
            let is_new = newest != id;
            if is_new {
                id.clone_into(newest);
            }
            is_new
        });
    }
}
