//! Warnings on the dashboard about destinations that fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_contracts::status::Warning;
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tokio::sync::Mutex;

const CATEGORY: &str = "notifications";
/// How long a warning may delay what is sent.
const TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) struct Warnings {
    bus: Bus,
    clock: Arc<dyn Clock>,
    /// Whether a warning is raised, by destination; unknown before the first attempt of this process.
    raised: Mutex<BTreeMap<String, bool>>,
}

impl Warnings {
    pub(crate) fn new(bus: Bus, clock: Arc<dyn Clock>) -> Self {
        Self { bus, clock, raised: Mutex::default() }
    }

    /// Deletes the warning about a destination.
    pub(crate) async fn clear(&self, destination: &str) {
        let mut raised = self.raised.lock().await;
        if raised.insert(destination.to_owned(), false) == Some(false) {
            return;
        }
        let (bucket, id) = (self.bus.kv(&topology::WARNINGS), id(destination));
        let deleted = tokio::time::timeout(TIMEOUT, bucket.delete(&id)).await;
        if !matches!(deleted, Ok(Ok(()))) {
            tracing::debug!(destination, "could not delete a warning");
            raised.remove(destination);
        }
    }

    /// Warns about a destination, once until it is cleared.
    pub(crate) async fn raise(&self, destination: &str, error: &str) {
        let mut raised = self.raised.lock().await;
        if raised.insert(destination.to_owned(), true) == Some(true) {
            return;
        }
        let warning = Warning {
            id: id(destination),
            category: CATEGORY.to_owned(),
            message: format!("Notifications to {destination} are not delivered."),
            details: error.to_owned(),
            server_id: None,
            created_at: self.clock.now(),
        };
        let bucket = self.bus.kv(&topology::WARNINGS);
        let put = tokio::time::timeout(TIMEOUT, bucket.put(&warning.id, &warning)).await;
        if !matches!(put, Ok(Ok(()))) {
            tracing::debug!(destination, "could not raise a warning");
            raised.remove(destination);
        }
    }
}

fn id(destination: &str) -> String {
    format!("{CATEGORY}.{destination}")
}
