//! A stream of events as the protocol's library reads it: each event has one message in strict JSON, or none.

use std::collections::VecDeque;

use futures::{Stream, StreamExt as _, stream};
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::types::Events;
use crate::wire::{Event, Incoming, Parser, with_number};

struct Reading<S> {
    bytes: S,
    parser: Parser,
    /// The request that the stream answers; none of one that is open for all.
    request: Option<RequestId>,
    ready: VecDeque<Sse>,
}

/// The events of a body, each of at most `largest` bytes; of answers, those to the request.
pub(super) fn events<S>(bytes: S, largest: usize, request: Option<RequestId>) -> Events
where
    S: Stream<Item = reqwest::Result<bytes::Bytes>> + Send + Unpin + 'static,
{
    let parser = Parser::new(largest);
    let reading = Reading { bytes, parser, request, ready: VecDeque::new() };
    stream::unfold(reading, next).boxed()
}

/// The events of a text that is complete.
pub(super) fn events_of(text: &[u8], request: &RequestId) -> Events {
    let mut parser = Parser::new(text.len());
    let mut events = parser.push(text);
    // The last event may lack its empty line.
    events.extend(parser.push(b"\n\n"));
    let sent: Vec<Sse> =
        events.into_iter().flat_map(|event| messages(event, Some(request))).collect();
    stream::iter(sent.into_iter().map(Ok)).boxed()
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
                let request = reading.request.as_ref();
                reading.ready.extend(events.into_iter().flat_map(|event| messages(event, request)));
            }
            Err(error) => return Some((Err(SseError::Body(Box::new(error))), reading)),
        }
    }
}

/// The messages of an event; the last of them has its id, after which a broken stream goes on.
fn messages(mut event: Event, request: Option<&RequestId>) -> Vec<Sse> {
    let is_message = event.is_message();
    let taken = event.data.take().into_iter().map(with_number);
    let taken = taken.filter(|message| match (answered(message), request) {
        // An answer to another request would end the stream, and one to this request counts under any name.
        (Some(id), Some(request)) => id == request,
        _ => is_message,
    });
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

/// The request that a message answers.
const fn answered(message: &Incoming) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(answer) => Some(&answer.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}
