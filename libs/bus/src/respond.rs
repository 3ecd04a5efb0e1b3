//! Responders.

use std::sync::Arc;

use async_nats::{Message, Subscriber};
use bytes::Bytes;
use futures::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_contracts::reply::{Refusal, Reply};
use tarsy_domain::code::Code;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::connect::Bus;
use crate::encode::encode;
use crate::error::Error;
use crate::spans::processing;

impl Bus {
    /// Answers requests on a subject until `stop`, then finishes the running ones. At most
    /// `concurrency` requests run at once; others are refused with `rate_limited`. With a queue, one
    /// member of the group gets each request.
    pub async fn respond<Req, Rep, F, Fut>(
        &self,
        subject: impl Into<String>,
        queue: Option<&str>,
        concurrency: usize,
        stop: CancellationToken,
        handler: F,
    ) -> Result<(), Error>
    where
        Req: DeserializeOwned + Send + 'static,
        Rep: Serialize + Send + 'static,
        F: Fn(Req) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Rep, Refusal>> + Send + 'static,
    {
        let subject = subject.into();
        let mut subscriber = self.subscribe_queue(&subject, queue).await?;
        let capacity = Arc::new(Semaphore::new(concurrency));
        let tasks = TaskTracker::new();
        let mut draining = false;
        loop {
            let message = tokio::select! {
                () = stop.cancelled(), if !draining => {
                    // The server sends no more requests; those it sent before are still answered.
                    draining = true;
                    if subscriber.drain().await.is_err() {
                        break;
                    }
                    continue;
                }
                message = subscriber.next() => match message {
                    Some(message) => message,
                    None => break,
                },
            };
            let Some(reply_to) = message.reply.clone() else { continue };
            let (bus, handler) = (self.clone(), handler.clone());
            let Ok(permit) = Arc::clone(&capacity).try_acquire_owned() else {
                bus.answer::<Rep>(reply_to, Err(busy())).await;
                continue;
            };
            let span = processing(&subject, message.headers.as_ref());
            let task = async move {
                let result = handle(&message, handler).await;
                bus.answer(reply_to, result).await;
                drop(permit);
            };
            tasks.spawn(task.instrument(span));
        }
        drop(subscriber);
        tasks.close();
        tasks.wait().await;
        Ok(())
    }

    async fn subscribe_queue(
        &self,
        subject: &str,
        queue: Option<&str>,
    ) -> Result<Subscriber, Error> {
        let failed = |source| Error::Subscribe { subject: subject.to_owned(), source };
        let client = self.control();
        let subscriber = match queue {
            Some(queue) => client.queue_subscribe(subject.to_owned(), queue.to_owned()).await,
            None => client.subscribe(subject.to_owned()).await,
        }
        .map_err(|error| failed(error.into()))?;
        self.flush_to_server(client).await;
        Ok(subscriber)
    }

    async fn answer<Rep: Serialize>(
        &self,
        reply_to: async_nats::Subject,
        result: Result<Rep, Refusal>,
    ) {
        let payload = match encode(&reply_to, &Reply::from(result)) {
            Ok(payload) if payload.len() <= self.control().server_info().max_payload => payload,
            Ok(payload) => refusal(&format!("the answer has {} bytes, too many", payload.len())),
            Err(_) => refusal("the answer could not be encoded"),
        };
        if let Err(error) = self.control().publish(reply_to, payload).await {
            tracing::warn!(%error, "an answer could not be sent");
        }
    }
}

async fn handle<Req, Rep, F, Fut>(message: &Message, handler: F) -> Result<Rep, Refusal>
where
    Req: DeserializeOwned,
    F: Fn(Req) -> Fut,
    Fut: Future<Output = Result<Rep, Refusal>>,
{
    let request = serde_json::from_slice(&message.payload).map_err(|error| {
        Refusal::new(Code::Invalid, format!("the request has another shape: {error}"))
    })?;
    handler(request).await
}

fn busy() -> Refusal {
    Refusal::new(Code::RateLimited, "busy; try another instance or later")
}

fn refusal(message: &str) -> Bytes {
    let reply: Reply<()> = Reply::Error(Refusal::new(Code::Internal, message));
    // This shape always encodes; the requester would refuse an empty answer as another shape.
    encode("", &reply).unwrap_or_default()
}
