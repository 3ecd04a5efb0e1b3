//! Counts the open WebSockets of each sender.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tarsy_catalog::Limits;
use tarsy_web::Problem;

use crate::access::Principal;
use crate::refusal::refused;

/// When a WebSocket may be tried again.
const SOCKET_RETRY: Duration = Duration::from_secs(5);

/// Counts the open WebSockets of each sender; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenSockets(Arc<Mutex<HashMap<String, u32>>>);

/// The place of an open WebSocket; dropping it frees it.
#[derive(Debug)]
pub(crate) struct SocketPlace {
    sockets: OpenSockets,
    principal: String,
}

impl OpenSockets {
    /// A place for one more WebSocket of a sender.
    pub(crate) fn acquire(
        &self,
        principal: &Principal,
        limits: Limits,
    ) -> Result<SocketPlace, Problem> {
        let limit = Limits::on(limits.open_websockets).unwrap_or(u32::MAX);
        let principal = principal.scope();
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(principal.clone()).or_default();
        if *count >= limit {
            let detail =
                format!("you have {limit} open WebSockets, as many as you may; close some");
            return Err(refused("open_websockets", detail, SOCKET_RETRY));
        }
        *count += 1;
        drop(counts);
        Ok(SocketPlace { sockets: self.clone(), principal })
    }
}

impl Drop for SocketPlace {
    fn drop(&mut self) {
        let mut counts = self.sockets.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.principal);
            }
        }
    }
}
