//! What this process can do right now.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use serde::Serialize;

/// One thing that the process needs or uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// It works.
    pub healthy: bool,
    /// Without it the process is of no use, and not ready.
    pub needed: bool,
    /// Why it does not work; for operators, no secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The parts of this process; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<RwLock<BTreeMap<&'static str, Part>>>);

impl Health {
    /// Notes how a part is.
    pub fn set(&self, name: &'static str, needed: bool, state: Result<(), String>) {
        let part = Part { healthy: state.is_ok(), needed, problem: state.err() };
        if let Ok(mut parts) = self.0.write() {
            parts.insert(name, part);
        }
    }

    /// Whether everything that is needed works.
    pub fn ready(&self) -> bool {
        self.parts().values().all(|part| part.healthy || !part.needed)
    }

    pub fn parts(&self) -> BTreeMap<&'static str, Part> {
        self.0.read().map(|parts| parts.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_needed_makes_a_process_unready() {
        let health = Health::default();
        health.set("nats", false, Err("away".to_owned()));
        assert!(health.ready());
        health.set("database", true, Err("away".to_owned()));
        assert!(!health.ready());
        health.set("database", true, Ok(()));
        assert!(health.ready());
    }
}
