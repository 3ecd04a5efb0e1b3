//! Queues alerts in a stream while PostgreSQL is unavailable.

use std::time::Duration;

use bytes::Bytes;
use tarsy_bus::{Bus, DurableMessage};
use tarsy_contracts::work::{Intake, IntakeAlert};
use tarsy_contracts::{subject, topology};
use tarsy_store::NewSession;
use tokio::time::{Instant, timeout_at};

use super::outcome::Error;

/// How long a message whose acknowledgement was lost is sent again, to learn whether the stream has it.
const RESOLVE_FOR: Duration = Duration::from_secs(12);

/// Puts an alert into the stream. [`Error::Unavailable`] means that the stream does not have it and never will;
/// [`Error::Unknown`] that the acknowledgement was lost.
pub(super) async fn send(bus: &Bus, new: NewSession) -> Result<(), Error> {
    let alert = message(new);
    let session_id = alert.session_id;
    let payload = encode(&Intake::Inline { alert: Box::new(alert.clone()) })?;
    let payload = if payload.len() <= topology::INLINE_LIMIT {
        payload
    } else {
        let blobs = bus.blobs(&topology::INTAKE_BLOBS);
        // A payload without its message is never read.
        let name = blobs.put(Some(session_id), encode(&alert)?).await;
        let name = name.map_err(Error::Unavailable)?;
        encode(&Intake::Blob { session_id, name })?
    };
    let message = DurableMessage {
        subject: subject::INTAKE_ALERT.to_owned(),
        message_id: session_id.to_string(),
        payload,
    };
    match bus.publish_durable(message.clone()).await {
        Ok(()) => Ok(()),
        Err(error) if error.may_have_been_stored() => resolve(bus, message).await,
        Err(error) => Err(Error::Unavailable(error)),
    }
}

/// Sends a message again until the stream acknowledges it; the stream keeps it once.
async fn resolve(bus: &Bus, message: DurableMessage) -> Result<(), Error> {
    let deadline = Instant::now() + RESOLVE_FOR;
    let mut connection = bus.connection();
    let resolved = timeout_at(deadline, async {
        loop {
            if connection.wait_for(|state| state.connected).await.is_err() {
                return Err(Error::Unknown);
            }
            match bus.publish_durable(message.clone()).await {
                Ok(()) => return Ok(()),
                // The stream is full or gone; whether it took the first message is not known.
                Err(error) if !error.may_have_been_stored() && bus.is_connected() => {
                    tracing::warn!(error = %tarsy_telemetry::chain(&error), "an alert may be queued");
                    return Err(Error::Unknown);
                }
                Err(_) => {}
            }
        }
    });
    resolved.await.unwrap_or(Err(Error::Unknown))
}

fn encode<T: serde::Serialize>(value: &T) -> Result<Bytes, Error> {
    serde_json::to_vec(value).map(Bytes::from).map_err(Error::Encode)
}

fn message(new: NewSession) -> IntakeAlert {
    IntakeAlert {
        session_id: new.id,
        alert_data: new.alert_data,
        alert_type: new.alert_type,
        chain_id: new.chain_id,
        author: new.author,
        principal: new.principal,
        runbook_url: new.runbook_url,
        mcp_selection: new.mcp_selection,
        requested_provider: new.requested_provider,
        slack_message_fingerprint: new.slack_message_fingerprint,
        fields: new.fields,
        idempotency: new.idempotency,
        config_snapshot: new.config_snapshot,
    }
}
