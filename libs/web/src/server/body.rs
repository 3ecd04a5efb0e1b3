//! The time that a request's body may take.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use metrics::counter;
use tokio::time::{Instant, Sleep, sleep_until};

/// The body did not arrive in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body did not arrive in time")]
pub struct BodyTimeout;

/// A body that ends with [`BodyTimeout`] when its sender takes too long.
pub(super) struct TimedBody {
    body: Body,
    idle: Duration,
    total: Duration,
    /// The end of the whole body's time; from the first read.
    deadline: Option<Instant>,
    /// Set while no byte is there.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    pub(super) const fn new(body: Body, idle: Duration, total: Duration) -> Self {
        Self { body, idle, total, deadline: None, waiting: None }
    }

    fn time_out() -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        counter!("tarsy_http_timeouts_total", "part" => "body").increment(1);
        Poll::Ready(Some(Err(axum::Error::new(BodyTimeout))))
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let now = Instant::now();
        let deadline = *this.deadline.get_or_insert(now + this.total);
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            this.waiting = None;
            return if now < deadline { Poll::Ready(frame) } else { Self::time_out() };
        }
        let idle = this.idle;
        let until = || Box::pin(sleep_until(deadline.min(now + idle)));
        ready!(this.waiting.get_or_insert_with(until).as_mut().poll(cx));
        Self::time_out()
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
