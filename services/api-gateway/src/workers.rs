//! Whether orchestrators can run sessions.

use std::time::{Duration, Instant};

use tarsy_bus::Bus;
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tokio::sync::Mutex;

/// How long a result is reused.
const CACHE_TTL: Duration = Duration::from_secs(5);

/// What is known of the orchestrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerState {
    /// At least one takes sessions.
    Present,
    /// None runs, or none has capacity: sessions wait.
    Absent,
    /// NATS, where they report themselves, cannot be reached.
    Unknown,
}

/// The result of the last look for running orchestrators, and when it was made.
#[derive(Debug, Default)]
pub(crate) struct WorkerPool(Mutex<Option<(Instant, WorkerState)>>);

impl WorkerPool {
    /// Whether an orchestrator with capacity reported itself lately.
    pub(crate) async fn state(&self, bus: &Bus) -> WorkerState {
        let mut cached = self.0.lock().await;
        if let Some((since, state)) = *cached
            && since.elapsed() < CACHE_TTL
        {
            return state;
        }
        let state = look(bus).await;
        *cached = Some((Instant::now(), state));
        state
    }
}

async fn look(bus: &Bus) -> WorkerState {
    if !bus.is_connected() {
        return WorkerState::Unknown;
    }
    match bus.kv(&topology::INSTANCES).entries::<Instance>().await {
        Ok(instances) if instances.iter().any(runs_sessions) => WorkerState::Present,
        Ok(_) => WorkerState::Absent,
        Err(_) => WorkerState::Unknown,
    }
}

fn runs_sessions(instance: &Instance) -> bool {
    instance.service == "orchestrator" && instance.capacity > 0
}
