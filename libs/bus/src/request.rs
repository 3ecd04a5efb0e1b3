//! Asking.

use std::time::Duration;

use async_nats::StatusCode;
use async_nats::client::RequestErrorKind;
use futures::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_contracts::reply::Reply;
use tokio::time::{Instant, timeout_at};

use crate::publish::{encode, headers};
use crate::{Bus, Error};

impl Bus {
    /// Asks, and waits for the answer at most `patience`.
    pub async fn request<Req, Rep>(
        &self,
        subject: String,
        request: &Req,
        patience: Duration,
    ) -> Result<Rep, Error>
    where
        Req: Serialize,
        Rep: DeserializeOwned,
    {
        let payload = encode(&subject, request)?;
        let sent = self.control().request_with_headers(subject.clone(), headers(), payload);
        let answer = match tokio::time::timeout(patience, sent).await {
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

    /// Asks all who listen, and takes up to `count` answers within `patience`: fewer when fewer come
    /// in time, none when nobody listens. Refusals and what cannot be read are left out.
    pub async fn gather<Req, Rep>(
        &self,
        subject: String,
        request: &Req,
        count: usize,
        patience: Duration,
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
        let mut gathered = Vec::new();
        let until = Instant::now() + patience;
        while gathered.len() < count
            && let Ok(Some(answer)) = timeout_at(until, answers.next()).await
        {
            if answer.status == Some(StatusCode::NO_RESPONDERS) {
                break;
            }
            let reply = serde_json::from_slice::<Reply<Rep>>(&answer.payload);
            gathered.extend(reply.ok().and_then(|reply| reply.into_result().ok()));
        }
        Ok(gathered)
    }
}
