//! Removal of a session and of a text from the streams that still hold them, as api-gateway may.

use std::time::Duration;

use bytes::Bytes;
use tarsy_bus::{Bus, COPIES, DurableMessage, TextRemoval, TextStep};
use tarsy_contracts::event::Committed;
use tarsy_contracts::{subject, topology};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::SessionId;

use crate::permissions::{bus_of, provisioned};

const SECRET: &str = "Tr0ub4dor and 3";

fn event(session_id: SessionId, seq: i64, payload: &str) -> Committed {
    let kind = "session.status".to_owned();
    Committed { session_id, seq, kind, payload: payload.to_owned() }
}

/// More than one chunk of an object store, with the text across the end of the first.
fn large() -> Bytes {
    let (before, after) = (vec![b'x'; 128 * 1024 - 5], vec![b'x'; 170_000]);
    [&before, SECRET.as_bytes(), &after].concat().into()
}

fn removal(spellings: &[String], only_count: bool, later: Duration) -> TextRemoval<'_> {
    TextRemoval { spellings, only_count, now: SystemClock.now() + later }
}

async fn messages(bus: &Bus, stream: &str) -> anyhow::Result<u64> {
    let states = bus.stream_states().await?;
    let of = states.iter().find(|one| one.name == stream);
    Ok(of.map_or(0, |one| one.messages))
}

#[tokio::test]
async fn what_streams_hold_of_a_deleted_session_is_removed_and_nothing_of_others()
-> anyhow::Result<()> {
    let mut nats = provisioned().await?;
    let api = bus_of(&mut nats, "api-gateway").await?;
    let tools = bus_of(&mut nats, "mcp-gateway").await?.blobs(&topology::BLOBS);
    let (deleted, other) = (SessionId::new(), SessionId::new());
    for session in [deleted, other] {
        for seq in 0..3 {
            api.publish_event(&event(session, seq, SECRET)).await?;
        }
    }
    let gone = tools.put(Some(deleted), large()).await?;
    let kept = tools.put(Some(other), large()).await?;
    let unnamed = tools.put(None, large()).await?;
    let queued = api.blobs(&topology::INTAKE_BLOBS);
    let alert = queued.put(Some(deleted), large()).await?;

    assert_eq!(api.remove_copies_of(&[deleted]).await?, 5);
    assert_eq!(messages(&api, topology::EVENTS.name).await?, 3);
    let readable = bus_of(&mut nats, "orchestrator").await?.blobs(&topology::BLOBS);
    assert!(readable.get(&gone).await.is_err() && queued.get(&alert).await.is_err());
    assert_eq!(readable.get(&kept).await?, large());
    assert_eq!(readable.get(&unnamed).await?, large());
    // The descriptions are gone, too: two objects of three chunks each are left.
    assert_eq!(messages(&api, &topology::BLOBS.object_stream()).await?, 8);
    assert_eq!(messages(&api, &topology::INTAKE_BLOBS.object_stream()).await?, 0);
    assert_eq!(api.remove_copies_of(&[deleted]).await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_text_is_removed_from_every_stream_that_holds_it() -> anyhow::Result<()> {
    let mut nats = provisioned().await?;
    let api = bus_of(&mut nats, "api-gateway").await?;
    let tools = bus_of(&mut nats, "mcp-gateway").await?.blobs(&topology::BLOBS);
    let session = SessionId::new();
    api.publish_event(&event(session, 1, &format!("{{\"content\":\"{SECRET}\"}}"))).await?;
    api.publish_event(&event(session, 2, "{}")).await?;
    api.publish_event(&event(session, 3, SECRET)).await?;
    tools.put(Some(session), large()).await?;
    let clean = tools.put(Some(session), vec![b'y'; 300_000].into()).await?;
    api.blobs(&topology::INTAKE_BLOBS).put(Some(session), large()).await?;

    let spellings = [SECRET.to_owned()];
    let hour = Duration::from_hours(1);
    for (only_count, found) in [(true, [2, 1, 1]), (false, [2, 1, 1]), (false, [0, 0, 0])] {
        for (stream, found) in COPIES.iter().zip(found) {
            let step = api.remove_text(stream, 0, removal(&spellings, only_count, hour)).await?;
            let expected = TextStep { found, ..TextStep::default() };
            assert_eq!(step, expected, "{stream} {only_count}");
        }
    }
    assert_eq!(messages(&api, topology::EVENTS.name).await?, 1);
    let readable = bus_of(&mut nats, "orchestrator").await?.blobs(&topology::BLOBS);
    assert_eq!(readable.get(&clean).await?, vec![b'y'; 300_000]);
    assert_eq!(messages(&api, &topology::INTAKE_BLOBS.object_stream()).await?, 0);
    Ok(())
}

/// A queued alert is stored in PostgreSQL first, where the text is removed then.
#[tokio::test]
async fn the_payload_of_an_alert_that_waits_is_left_and_counted() -> anyhow::Result<()> {
    let mut nats = provisioned().await?;
    let api = bus_of(&mut nats, "api-gateway").await?;
    let queued = api.blobs(&topology::INTAKE_BLOBS);
    let name = queued.put(Some(SessionId::new()), large()).await?;
    let spellings = [SECRET.to_owned()];
    let stream = topology::INTAKE_BLOBS.object_stream();
    let left = TextStep { found: 1, left: 1, continue_after: None };
    // Its message may be about to be published.
    let new = removal(&spellings, false, Duration::ZERO);
    assert_eq!(api.remove_text(&stream, 0, new).await?, left);
    api.publish_durable(DurableMessage {
        subject: subject::INTAKE_ALERT.to_owned(),
        message_id: "1".to_owned(),
        payload: Bytes::new(),
    })
    .await?;
    let later = removal(&spellings, false, Duration::from_hours(1));
    assert_eq!(api.remove_text(&stream, 0, later).await?, left);
    assert_eq!(queued.get(&name).await?, large());
    Ok(())
}
