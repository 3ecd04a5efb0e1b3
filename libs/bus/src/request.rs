//! Requests to one responder, or to all.

use std::time::Duration;

use async_nats::StatusCode;
use async_nats::client::RequestErrorKind;
use futures::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_contracts::reply::Reply;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;

use crate::connect::Bus;
use crate::encode::{encode, headers};
use crate::error::Error;
use crate::spans::sending;

impl Bus {
    /// Sends a request and waits for the answer, at most `timeout`.
    pub async fn request<Req, Rep>(
        &self,
        subject: String,
        request: &Req,
        timeout: Duration,
    ) -> Result<Rep, Error>
    where
        Req: Serialize,
        Rep: DeserializeOwned,
    {
        let payload = encode(&subject, request)?;
        let span = sending("request", "client", &subject);
        let headers = span.in_scope(headers);
        let sent = self.control().request_with_headers(subject.clone(), headers, payload);
        let answer = match tokio::time::timeout(timeout, sent).instrument(span).await {
            Err(_) => return Err(Error::Timeout { subject }),
            Ok(Err(error)) => {
                return Err(match error.kind() {
                    RequestErrorKind::NoResponders => Error::NoResponders { subject },
                    RequestErrorKind::TimedOut => Error::Timeout { subject },
                    _ => Error::Publish { subject, source: error.into() },
                });
            }
            Ok(Ok(answer)) => answer,
        };
        let reply: Reply<Rep> = serde_json::from_slice(&answer.payload)
            .map_err(|source| Error::Shape { subject, source })?;
        reply.into_result().map_err(Error::Refused)
    }

    /// Sends a request to all responders and returns up to `count` answers that come within `timeout`;
    /// none when nobody responds. Refusals and answers of another shape are skipped.
    pub async fn request_many<Req, Rep>(
        &self,
        subject: String,
        request: &Req,
        count: usize,
        timeout: Duration,
    ) -> Result<Vec<Rep>, Error>
    where
        Req: Serialize,
        Rep: DeserializeOwned,
    {
        let payload = encode(&subject, request)?;
        let failed = |source| Error::Publish { subject: subject.clone(), source };
        let client = self.control();
        let inbox = client.new_inbox();
        let mut answers =
            client.subscribe(inbox.clone()).await.map_err(|error| failed(error.into()))?;
        client
            .publish_with_reply_and_headers(subject.clone(), inbox, headers(), payload)
            .await
            .map_err(|error| failed(error.into()))?;
        let mut received = Vec::new();
        let until = Instant::now() + timeout;
        while received.len() < count
            && let Ok(Some(answer)) = timeout_at(until, answers.next()).await
        {
            if answer.status == Some(StatusCode::NO_RESPONDERS) {
                break;
            }
            let reply = serde_json::from_slice::<Reply<Rep>>(&answer.payload);
            received.extend(reply.ok().and_then(|reply| reply.into_result().ok()));
        }
        Ok(received)
    }
}
