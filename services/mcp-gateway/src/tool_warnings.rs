//! The warnings about the tool list of each server, as of its last listing.

use std::collections::BTreeMap;

use tokio::sync::watch;

/// Warnings by the id of the server. Cheap to clone; all clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolWarnings(watch::Sender<BTreeMap<String, Vec<String>>>);

impl ToolWarnings {
    /// Replaces the warnings of a server; notifies subscribers if they differ.
    pub(crate) fn set(&self, server: &str, warnings: Vec<String>) {
        self.0.send_if_modified(|known| {
            let changed = known.get(server) != Some(&warnings);
            if changed {
                known.insert(server.to_owned(), warnings);
            }
            changed
        });
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<BTreeMap<String, Vec<String>>> {
        self.0.subscribe()
    }
}
