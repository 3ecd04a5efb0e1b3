//! What an operator should know of destinations.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_contracts::status::Warning;
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;

use crate::app::App;

const CATEGORY: &str = "notifications";
/// How long a warning may hold up what is sent.
const PATIENCE: Duration = Duration::from_secs(2);

/// The warnings about destinations that fail.
pub(crate) struct Warnings {
    bus: Bus,
    clock: Arc<dyn Clock>,
    /// Whether a warning stands; unknown until a destination was first heard of here.
    stands: BTreeMap<String, bool>,
}

impl Warnings {
    pub(crate) fn new(app: &App) -> Self {
        Self { bus: app.bus.clone(), clock: Arc::clone(&app.clock), stands: BTreeMap::new() }
    }

    /// A destination could be told.
    pub(crate) async fn well(&mut self, destination: &str) {
        if self.stands.insert(destination.to_owned(), false) == Some(false) {
            return;
        }
        let (bucket, id) = (self.bus.kv(&topology::WARNINGS), id(destination));
        let deleted = tokio::time::timeout(PATIENCE, bucket.delete(&id)).await;
        if !matches!(deleted, Ok(Ok(()))) {
            tracing::debug!(destination, "a warning may stand too long");
            self.stands.remove(destination);
        }
    }

    /// A destination failed again and again.
    pub(crate) async fn unwell(&mut self, destination: &str, error: &str) {
        if self.stands.insert(destination.to_owned(), true) == Some(true) {
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
        let put = tokio::time::timeout(PATIENCE, bucket.put(&warning.id, &warning)).await;
        if !matches!(put, Ok(Ok(()))) {
            tracing::debug!(destination, "a warning was not given");
            self.stands.remove(destination);
        }
    }
}

fn id(destination: &str) -> String {
    format!("{CATEGORY}.{destination}")
}
