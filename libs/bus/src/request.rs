//! Asking.

use std::time::Duration;

use async_nats::client::RequestErrorKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_contracts::reply::Reply;

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
}
