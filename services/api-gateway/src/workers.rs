//! Whether orchestrators run.

use std::time::{Duration, Instant};

use tarsy_bus::Bus;
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tokio::sync::Mutex;

/// How long a result is reused.
const CACHE_TTL: Duration = Duration::from_secs(15);

/// The result of the last look for running orchestrators, and when it was made.
#[derive(Debug, Default)]
pub(crate) struct WorkerPool(Mutex<Option<(Instant, bool)>>);

impl WorkerPool {
    /// Whether an orchestrator reported itself lately; false, too, when NATS cannot be reached.
    pub(crate) async fn is_seen(&self, bus: &Bus) -> bool {
        let mut cached = self.0.lock().await;
        if let Some((since, seen)) = *cached
            && since.elapsed() < CACHE_TTL
        {
            return seen;
        }
        let seen = find_orchestrator(bus).await;
        *cached = Some((Instant::now(), seen));
        seen
    }
}

async fn find_orchestrator(bus: &Bus) -> bool {
    if !bus.is_connected() {
        return false;
    }
    let instances = bus.kv(&topology::INSTANCES).entries::<Instance>().await;
    instances.is_ok_and(|all| all.iter().any(|instance| instance.service == "orchestrator"))
}
