//! The bounded queue between the tasks that know what happened and one viewer's socket.
//!
//! Adding a frame never waits. Streamed text gets three quarters of the capacity, stored events all of
//! it, and the relay's own control frames a little more: so text is dropped first.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::metrics;

const FRAMES: usize = 512;
const BYTES: usize = 4 * 1024 * 1024;
const TRANSIENT_FRAMES: usize = FRAMES / 4 * 3;
const TRANSIENT_BYTES: usize = BYTES / 4 * 3;
const EXTRA_FRAMES: usize = 64;
const BATCH_FRAMES: usize = 64;
const BATCH_BYTES: usize = 256 * 1024;

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It will be sent.
    Taken,
    /// There is no capacity.
    Full,
    Gone,
}

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    inner: Mutex<Inner>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    frames: VecDeque<Utf8Bytes>,
    bytes: usize,
    full_since: Option<Instant>,
    closed: bool,
}

impl Outbox {
    /// Adds streamed text or progress, which may be lost.
    pub(crate) fn push_transient(&self, frame: Utf8Bytes) -> Pushed {
        self.push(frame, TRANSIENT_FRAMES, TRANSIENT_BYTES)
    }

    /// Adds a stored event.
    pub(crate) fn push_event(&self, frame: Utf8Bytes) -> Pushed {
        self.push(frame, FRAMES, BYTES)
    }

    /// Adds a control frame of the relay.
    pub(crate) fn push_control(&self, frame: Utf8Bytes) -> Pushed {
        self.push(frame, FRAMES + EXTRA_FRAMES, BYTES * 2)
    }

    /// Whether a transient frame of so many bytes would be accepted now, so that none is encoded in vain.
    /// A refusal counts like that of a frame.
    pub(crate) fn accepts_transient(&self, bytes: usize) -> bool {
        let mut inner = self.lock();
        let fits = inner.fits(bytes, TRANSIENT_FRAMES, TRANSIENT_BYTES);
        if !fits {
            inner.full_since.get_or_insert_with(Instant::now);
        }
        fits
    }

    /// Whether at most half of the capacity is used.
    pub(crate) fn has_spare_capacity(&self) -> bool {
        self.lock().has_spare_capacity()
    }

    /// For how long the viewer has been too slow.
    pub(crate) fn full_for(&self) -> Duration {
        self.lock().full_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Drops all frames and accepts no more.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.frames.clear();
        inner.bytes = 0;
    }

    /// Waits for frames and takes some out, in order.
    pub(crate) async fn take(&self) -> Vec<Utf8Bytes> {
        loop {
            let woken = self.wake.notified();
            let batch = self.take_now();
            if !batch.is_empty() {
                return batch;
            }
            woken.await;
        }
    }

    pub(crate) fn take_now(&self) -> Vec<Utf8Bytes> {
        let mut inner = self.lock();
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < BATCH_FRAMES && bytes < BATCH_BYTES {
            let Some(frame) = inner.frames.pop_front() else { break };
            bytes += frame.len();
            batch.push(frame);
        }
        inner.bytes -= bytes.min(inner.bytes);
        if inner.has_spare_capacity() {
            inner.full_since = None;
        }
        batch
    }

    fn push(&self, frame: Utf8Bytes, frames: usize, bytes: usize) -> Pushed {
        let mut inner = self.lock();
        if inner.closed {
            return Pushed::Gone;
        }
        if !inner.fits(frame.len(), frames, bytes) {
            inner.full_since.get_or_insert_with(Instant::now);
            return Pushed::Full;
        }
        inner.bytes += frame.len();
        inner.frames.push_back(frame);
        drop(inner);
        self.wake.notify_one();
        metrics::frame_queued();
        Pushed::Taken
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// A frame larger than the capacity is accepted alone, or a large event could never be sent.
    fn fits(&self, size: usize, frames: usize, bytes: usize) -> bool {
        self.frames.is_empty() || (self.frames.len() < frames && self.bytes + size <= bytes)
    }

    fn has_spare_capacity(&self) -> bool {
        self.frames.len() <= FRAMES / 2 && self.bytes <= BYTES / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> Utf8Bytes {
        text.to_owned().into()
    }

    #[test]
    fn text_is_refused_before_events_and_events_before_control_frames() {
        let outbox = Outbox::default();
        while outbox.push_transient(frame("t")) == Pushed::Taken {}
        assert_eq!(outbox.push_event(frame("e")), Pushed::Taken);
        while outbox.push_event(frame("e")) == Pushed::Taken {}
        assert_eq!(outbox.push_event(frame("e")), Pushed::Full);
        assert_eq!(outbox.push_control(frame("c")), Pushed::Taken);
        while outbox.push_control(frame("c")) == Pushed::Taken {}
        assert_eq!(outbox.lock().frames.len(), FRAMES + EXTRA_FRAMES);
    }

    #[test]
    fn bytes_are_bounded_too_but_one_large_frame_goes_alone() {
        let outbox = Outbox::default();
        let large = "x".repeat(BYTES + 1);
        assert_eq!(outbox.push_event(frame(&large)), Pushed::Taken);
        assert_eq!(outbox.push_event(frame("e")), Pushed::Full);
        assert_eq!(outbox.take_now().len(), 1);
        assert_eq!(outbox.push_event(frame("e")), Pushed::Taken);
    }

    #[tokio::test(start_paused = true)]
    async fn a_viewer_counts_as_slow_until_half_the_queue_is_free() {
        let outbox = Outbox::default();
        while outbox.push_event(frame("e")) == Pushed::Taken {}
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(outbox.full_for(), Duration::from_secs(3));
        while !outbox.has_spare_capacity() {
            outbox.take_now();
        }
        assert_eq!(outbox.full_for(), Duration::ZERO);
    }

    #[tokio::test]
    async fn frames_come_out_in_the_order_they_went_in() {
        let outbox = Outbox::default();
        for text in ["1", "2", "3"] {
            outbox.push_event(frame(text));
        }
        assert_eq!(outbox.take().await, ["1", "2", "3"].map(frame));
        outbox.close();
        assert_eq!(outbox.push_event(frame("4")), Pushed::Gone);
    }
}
