//! A stream of events as the protocol's library reads it: each event has one message in strict JSON, or none.

use std::collections::VecDeque;

use futures::{Stream, StreamExt as _, stream};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::types::Events;
use crate::wire::{Event, Parser, with_number};

struct Reading<S> {
    bytes: S,
    parser: Parser,
    ready: VecDeque<Sse>,
}

/// The events of a body, each of at most `largest` bytes.
pub(super) fn events<S>(bytes: S, largest: usize) -> Events
where
    S: Stream<Item = reqwest::Result<bytes::Bytes>> + Send + Unpin + 'static,
{
    let reading = Reading { bytes, parser: Parser::new(largest), ready: VecDeque::new() };
    stream::unfold(reading, next).boxed()
}

/// The events of a text that is complete.
pub(super) fn events_of(text: &[u8]) -> Events {
    let mut parser = Parser::new(text.len());
    let mut events = parser.push(text);
    // The last event may lack its empty line.
    events.extend(parser.push(b"\n\n"));
    stream::iter(events.into_iter().flat_map(messages).map(Ok)).boxed()
}

async fn next<S>(mut reading: Reading<S>) -> Option<(Result<Sse, SseError>, Reading<S>)>
where
    S: Stream<Item = reqwest::Result<bytes::Bytes>> + Unpin,
{
    loop {
        if let Some(event) = reading.ready.pop_front() {
            return Some((Ok(event), reading));
        }
        match reading.bytes.next().await? {
            Ok(bytes) => {
                let events = reading.parser.push(&bytes);
                reading.ready.extend(events.into_iter().flat_map(messages));
            }
            Err(error) => return Some((Err(SseError::Body(Box::new(error))), reading)),
        }
    }
}

/// The messages of an event; the last of them has its id, after which a broken stream goes on.
fn messages(mut event: Event) -> Vec<Sse> {
    let is_message = event.is_message();
    let taken = event.data.take();
    let taken = taken.into_iter().filter(|_| is_message).map(with_number);
    let texts = taken.filter_map(|one| serde_json::to_string(&one).ok());
    let mut events: Vec<Sse> = texts.map(|text| Sse::default().data(text)).collect();
    if events.is_empty() {
        events.push(Sse::default().data(""));
    }
    if let Some(last) = events.last_mut() {
        last.id = event.id;
        last.retry = event.retry;
    }
    events
}
