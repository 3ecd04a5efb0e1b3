//! Capacity for the bodies of alert sources, which is taken before a body is read.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use http::HeaderMap;
use tarsy_intake::Sender;
use tarsy_web::{BodyError, read_body};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes of a body that need no capacity: the number of requests at a time bounds them.
const SMALL: usize = 1024 * 1024;
/// The bytes beyond [`SMALL`] of all bodies at a time, for senders that are verified and for those that are not yet: strangers
/// take no capacity from those who are known.
const LARGE: usize = 64 * 1024 * 1024;

/// Capacity for large bodies.
#[derive(Clone, Debug)]
pub(crate) struct Capacity {
    verified: Arc<Semaphore>,
    unknown: Arc<Semaphore>,
}

/// A body, and the capacity that it takes until it is dropped.
pub(super) struct Held {
    pub(super) body: Bytes,
    #[expect(dead_code, reason = "held until the alerts are stored")]
    capacity: Option<OwnedSemaphorePermit>,
}

impl Default for Capacity {
    fn default() -> Self {
        let capacity = || Arc::new(Semaphore::new(LARGE));
        Self { verified: capacity(), unknown: capacity() }
    }
}

impl Capacity {
    /// Reads a body of at most so many bytes.
    pub(super) async fn read(
        &self,
        sender: Sender,
        headers: &HeaderMap,
        body: Body,
        most: usize,
    ) -> Result<Held, BodyError> {
        let budget = match sender {
            Sender::Verified => &self.verified,
            Sender::Unknown => &self.unknown,
        };
        let mut capacity: Option<OwnedSemaphorePermit> = None;
        let body = read_body(headers, body, most, |bytes| {
            let held = capacity.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
            let wanted = bytes.min(most).saturating_sub(SMALL).saturating_sub(held);
            if wanted == 0 {
                return true;
            }
            let many = u32::try_from(wanted).unwrap_or(u32::MAX);
            let Ok(more) = Arc::clone(budget).try_acquire_many_owned(many) else { return false };
            match &mut capacity {
                Some(capacity) => capacity.merge(more),
                None => capacity = Some(more),
            }
            true
        });
        let body = body.await?;
        Ok(Held { body, capacity })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(mib: usize) -> Body {
        Body::from(vec![b' '; mib * 1024 * 1024])
    }

    #[tokio::test]
    async fn large_bodies_take_capacity_until_they_are_dropped_and_small_ones_need_none() {
        let (capacity, none) = (Capacity::default(), HeaderMap::new());
        let most = 32 * 1024 * 1024;
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(capacity.read(Sender::Unknown, &none, bytes(32), most).await.ok().unwrap());
        }
        let third = capacity.read(Sender::Unknown, &none, bytes(32), most).await;
        assert!(matches!(third, Err(BodyError::NoCapacity)));
        assert!(capacity.read(Sender::Unknown, &none, bytes(1), most).await.is_ok());
        assert!(capacity.read(Sender::Verified, &none, bytes(32), most).await.is_ok());
        held.clear();
        assert!(capacity.read(Sender::Unknown, &none, bytes(32), most).await.is_ok());
        let larger = capacity.read(Sender::Verified, &none, bytes(33), most).await;
        assert!(matches!(larger, Err(BodyError::TooLarge)));
    }
}
