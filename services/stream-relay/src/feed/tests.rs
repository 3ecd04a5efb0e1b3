use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tarsy_contracts::live::{Live, StreamingText};
use tarsy_domain::clock::SystemClock;
use tarsy_domain::id::{ExecutionId, StageId};
use tarsy_domain::status::Phase;

use super::*;
use crate::command::Subscribed;
use crate::outbox::Outbox;

struct Viewer {
    id: u64,
    outbox: Arc<Outbox>,
    subscribed: Subscribed,
}

impl Viewer {
    fn subscribe(feed: &mut Feed, id: u64, after: i64) -> Self {
        let viewer = Self { id, outbox: Arc::default(), subscribed: Subscribed::default() };
        feed.subscribe(Subscribe {
            viewer: id,
            outbox: Arc::clone(&viewer.outbox),
            subscribed: viewer.subscribed.clone(),
            after,
        });
        viewer
    }

    /// A viewer whose history was empty.
    fn subscribed(feed: &mut Feed, id: u64) -> Self {
        let viewer = Self::subscribe(feed, id, 0);
        answer(feed, &Page { last: Some(0), rows: vec![] });
        viewer
    }

    fn received(&self) -> Vec<Value> {
        let mut received = Vec::new();
        loop {
            let batch = self.outbox.take_now();
            if batch.is_empty() {
                return received;
            }
            received.extend(batch.iter().map(|frame| serde_json::from_str(frame).unwrap()));
        }
    }

    fn numbers(&self) -> Vec<i64> {
        self.received().iter().filter_map(|event| event["db_event_id"].as_i64()).collect()
    }

    /// The text that this viewer can put together, and whether it fits without hole or overlap.
    fn text(&self) -> String {
        let mut text = String::new();
        for event in self.received().iter().filter(|event| event["type"] == "stream.chunk") {
            assert_eq!(event["offset"], text.len(), "a hole or an overlap after {text:?}");
            text.push_str(event["delta"].as_str().unwrap());
        }
        text
    }
}

fn feed() -> Feed {
    Feed::new(SessionId::new(), Arc::new(SystemClock))
}

/// Answers every history that the feed waits for.
fn answer(feed: &mut Feed, page: &Page) {
    for read in feed.reads() {
        feed.history(read, page.clone());
    }
}

fn row(session: SessionId, seq: i64, mut body: Value) -> Row {
    body["session_id"] = json!(session);
    body["db_event_id"] = json!(seq);
    Row::read(Bytes::from(body.to_string())).unwrap()
}

fn plain(feed: &Feed, seq: i64) -> Row {
    row(feed.session, seq, json!({"type": "session.status", "status": "in_progress"}))
}

fn rows(feed: &Feed, numbers: std::ops::RangeInclusive<i64>) -> Vec<Row> {
    numbers.map(|seq| plain(feed, seq)).collect()
}

fn opens(feed: &Feed, seq: i64, id: TimelineEventId) -> Row {
    let body = json!({"type": "timeline_event.created", "event_id": id, "status": "streaming"});
    row(feed.session, seq, body)
}

fn closes(feed: &Feed, seq: i64, id: TimelineEventId) -> Row {
    let body = json!({"type": "timeline_event.completed", "event_id": id, "status": "completed"});
    row(feed.session, seq, body)
}

fn chunk(feed: &mut Feed, id: TimelineEventId, offset: u64, delta: &str) {
    let live = Live {
        session_id: feed.session,
        timestamp: jiff::Timestamp::UNIX_EPOCH,
        body: LiveBody::Chunk { event_id: id, delta: delta.to_owned(), offset },
    };
    let frame = Utf8Bytes::from(serde_json::to_string(&live).unwrap());
    feed.live(&live.body, &frame);
}

fn snapshot(id: TimelineEventId, content: &str) -> Snapshot {
    Snapshot {
        streams: vec![StreamingText { event_id: id, content: content.to_owned() }],
        others: 0,
    }
}

/// Does the look that the feed asks for.
fn look(feed: &mut Feed, page: Page, snapshot: Option<Snapshot>) {
    let job = feed.job().expect("the feed wants to look");
    feed.looked(job, page, snapshot);
}

#[test]
fn events_that_come_out_of_order_or_twice_are_delivered_once_in_order() {
    let mut feed = feed();
    let viewer = Viewer::subscribed(&mut feed, 1);
    for seq in [1, 3, 3, 1, 2, 2, 5, 4] {
        let row = plain(&feed, seq);
        feed.event(row);
    }
    assert_eq!(viewer.numbers(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_missing_event_is_read_from_the_table() {
    let mut feed = feed();
    let viewer = Viewer::subscribed(&mut feed, 1);
    let (first, third) = (plain(&feed, 1), plain(&feed, 3));
    feed.event(first);
    feed.event(third);
    let page = Page { last: Some(3), rows: rows(&feed, 2..=3) };
    look(&mut feed, page, None);
    assert_eq!(viewer.numbers(), [1, 2, 3]);
}

#[test]
fn an_event_that_never_comes_ends_in_a_reload() {
    let mut feed = feed();
    let viewer = Viewer::subscribed(&mut feed, 1);
    let second = plain(&feed, 2);
    feed.event(second);
    for _ in 0..=MAX_GAP_TRIES {
        look(&mut feed, Page { last: Some(2), rows: vec![] }, None);
    }
    let received = viewer.received();
    assert_eq!(received[0]["type"], "catchup.overflow");
    assert_eq!(received[1]["db_event_id"], 2);
}

#[test]
fn a_history_and_what_happens_meanwhile_join_without_seam() {
    let mut feed = feed();
    let viewer = Viewer::subscribe(&mut feed, 1, 2);
    for seq in [5, 6, 7] {
        let row = plain(&feed, seq);
        feed.event(row);
    }
    let page = Page { last: Some(6), rows: rows(&feed, 3..=6) };
    answer(&mut feed, &page);
    assert_eq!(viewer.numbers(), [3, 4, 5, 6, 7]);
}

#[test]
fn a_second_viewer_catches_up_with_a_running_session() {
    let mut feed = feed();
    let first = Viewer::subscribed(&mut feed, 1);
    for seq in 1..=4 {
        let row = plain(&feed, seq);
        feed.event(row);
    }
    let second = Viewer::subscribe(&mut feed, 2, 0);
    let page = Page { last: Some(2), rows: rows(&feed, 1..=2) };
    let fifth = plain(&feed, 5);
    feed.event(fifth);
    answer(&mut feed, &page);
    assert_eq!(second.numbers(), [1, 2, 3, 4, 5]);
    assert_eq!(first.numbers(), [1, 2, 3, 4, 5]);
}

#[test]
fn too_long_a_history_ends_in_a_reload_and_goes_on_from_the_newest() {
    let mut feed = feed();
    let viewer = Viewer::subscribe(&mut feed, 1, 0);
    let limit = i64::try_from(CATCHUP).unwrap();
    let page = Page { last: Some(500), rows: rows(&feed, 1..=limit + 1) };
    answer(&mut feed, &page);
    let next = plain(&feed, 501);
    feed.event(next);
    let received = viewer.received();
    assert_eq!(received.len(), CATCHUP + 2);
    assert_eq!(received[CATCHUP]["type"], "catchup.overflow");
    assert_eq!(received[CATCHUP]["has_more"], true);
    assert_eq!(received[CATCHUP + 1]["db_event_id"], 501);
}

#[test]
fn a_history_that_was_deleted_ends_in_a_reload() {
    let mut feed = feed();
    let viewer = Viewer::subscribe(&mut feed, 1, 0);
    answer(&mut feed, &Page { last: Some(57), rows: vec![] });
    let next = plain(&feed, 58);
    feed.event(next);
    let received = viewer.received();
    assert_eq!(received[0]["type"], "catchup.overflow");
    assert_eq!(received[1]["db_event_id"], 58);
}

#[test]
fn a_late_viewer_gets_the_text_so_far_and_then_each_byte_once() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    let viewer = Viewer::subscribe(&mut feed, 1, 0);
    let page = Page { last: Some(1), rows: vec![opens(&feed, 1, id)] };
    // Text flows while the history is read.
    chunk(&mut feed, id, 11, "wörld");
    answer(&mut feed, &page);
    chunk(&mut feed, id, 17, "!");
    look(&mut feed, Page { last: Some(1), rows: vec![] }, Some(snapshot(id, "héllo → ")));
    chunk(&mut feed, id, 17, "!");
    chunk(&mut feed, id, 18, "?");
    assert_eq!(viewer.text(), "héllo → wörld!?");
}

#[test]
fn a_text_older_than_the_first_viewer_is_known_by_the_owners_word() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    let viewer = Viewer::subscribe(&mut feed, 1, 9);
    answer(&mut feed, &Page { last: Some(9), rows: vec![] });
    chunk(&mut feed, id, 3, "def");
    look(&mut feed, Page { last: Some(9), rows: vec![] }, Some(snapshot(id, "abc")));
    assert_eq!(viewer.text(), "abcdef");
}

#[test]
fn a_second_late_viewer_needs_no_owner() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    Viewer::subscribed(&mut feed, 1);
    let opening = opens(&feed, 1, id);
    feed.event(opening.clone());
    chunk(&mut feed, id, 0, "so ");
    chunk(&mut feed, id, 3, "far");
    let late = Viewer::subscribe(&mut feed, 2, 0);
    answer(&mut feed, &Page { last: Some(1), rows: vec![opening] });
    chunk(&mut feed, id, 6, " so good");
    assert_eq!(late.text(), "so far so good");
}

#[test]
fn a_chunk_waits_for_the_beginning_of_its_event() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    let viewer = Viewer::subscribed(&mut feed, 1);
    chunk(&mut feed, id, 0, "early");
    assert!(viewer.received().is_empty());
    let opening = opens(&feed, 1, id);
    feed.event(opening);
    let received = viewer.received();
    assert_eq!(received[0]["type"], "timeline_event.created");
    assert_eq!(received[1]["delta"], "early");
}

#[test]
fn nothing_of_a_text_comes_after_its_end() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    let viewer = Viewer::subscribed(&mut feed, 1);
    for row in [opens(&feed, 1, id), closes(&feed, 2, id)] {
        feed.event(row);
    }
    chunk(&mut feed, id, 0, "late");
    look(&mut feed, Page { last: Some(2), rows: Vec::new() }, Some(snapshot(id, "late")));
    let progress = LiveBody::ExecutionProgress {
        stage_id: StageId::new(),
        execution_id: ExecutionId::new(),
        phase: Phase::Tool,
        message: "half done".to_owned(),
        event_id: Some(id),
    };
    feed.live(&progress, &Utf8Bytes::from_static("{}"));
    let received = viewer.received();
    assert_eq!(received.last().unwrap()["type"], "timeline_event.completed");
    assert_eq!(received.len(), 2);
}

#[test]
fn a_chunk_as_it_came_goes_out_as_it_came() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    let viewer = Viewer::subscribed(&mut feed, 1);
    let opening = opens(&feed, 1, id);
    feed.event(opening);
    viewer.received();
    let raw = format!(
        "{{\"type\":\"stream.chunk\", \"session_id\":\"{}\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
         \"event_id\":\"{id}\",\"delta\":\"x\",\"offset\":0}}",
        feed.session
    );
    let live: Live = serde_json::from_str(&raw).unwrap();
    feed.live(&live.body, &Utf8Bytes::from(raw.clone()));
    assert_eq!(viewer.outbox.take_now(), [Utf8Bytes::from(raw)]);
}

#[test]
fn a_slow_viewer_loses_text_then_reloads_and_delays_nobody() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    let (slow, quick) = (Viewer::subscribed(&mut feed, 1), Viewer::subscribed(&mut feed, 2));
    let opening = opens(&feed, 1, id);
    feed.event(opening);
    let mut read = String::new();
    for offset in 0..1000 {
        chunk(&mut feed, id, offset, "x");
        read.push_str(
            &quick.received().iter().filter_map(|e| e["delta"].as_str()).collect::<String>(),
        );
    }
    assert_eq!(read.len(), 1000);
    // Text stopped at three quarters of the room; what was lost comes in one piece.
    let text = slow.text();
    assert!(text.len() < 1000, "{}", text.len());
    chunk(&mut feed, id, 1000, "y");
    let rest = slow.received();
    assert_eq!(rest[0]["offset"], text.len());
    assert_eq!(rest[0]["delta"].as_str().unwrap().len(), 1001 - text.len());
    // Stored events fill the room whole; then the viewer is received to reload.
    for seq in 2..=1000 {
        let row = plain(&feed, seq);
        feed.event(row);
        assert_eq!(quick.numbers().last(), Some(&seq));
    }
    let before = slow.numbers();
    assert!(before.len() < 999);
    feed.sweep();
    let after = plain(&feed, 1001);
    feed.event(after);
    let received = slow.received();
    assert_eq!(received[0]["type"], "catchup.overflow");
    assert_eq!(received[1]["type"], "stream.chunk", "the text so far comes again");
    assert_eq!(received.last().unwrap()["db_event_id"], 1001);
}

#[test]
fn a_viewer_may_have_everything_sent_again() {
    let mut feed = feed();
    let id = TimelineEventId::new();
    let viewer = Viewer::subscribed(&mut feed, 1);
    let history = vec![plain(&feed, 1), opens(&feed, 2, id)];
    for row in history.clone() {
        feed.event(row);
    }
    chunk(&mut feed, id, 0, "text");
    viewer.received();
    feed.catch_up(viewer.id, 1);
    answer(&mut feed, &Page { last: Some(2), rows: history.into_iter().skip(1).collect() });
    let received = viewer.received();
    assert_eq!(received[0]["db_event_id"], 2);
    assert_eq!((&received[1]["offset"], &received[1]["delta"]), (&json!(0), &json!("text")));
    assert_eq!(received.len(), 2);
}

#[test]
fn a_read_that_was_overtaken_by_another_is_of_no_use() {
    let mut feed = feed();
    let viewer = Viewer::subscribe(&mut feed, 1, 0);
    let stale = feed.reads();
    feed.catch_up(viewer.id, 0);
    let page = Page { last: Some(1), rows: rows(&feed, 1..=1) };
    feed.history(stale[0], page.clone());
    assert!(viewer.received().is_empty());
    answer(&mut feed, &page);
    assert_eq!(viewer.numbers(), [1]);
}

#[test]
fn viewers_are_notified_when_delivery_is_disturbed_and_when_it_is_repaired() {
    let mut feed = feed();
    let viewer = Viewer::subscribed(&mut feed, 1);
    feed.set_degraded(true);
    let late = Viewer::subscribe(&mut feed, 2, 0);
    feed.set_degraded(false);
    for viewer in [viewer, late] {
        let received = viewer.received();
        assert_eq!(received[0]["type"], "connection.degraded");
        assert_eq!(received[1]["type"], "connection.recovered");
    }
}

#[test]
fn who_has_left_is_forgotten() {
    let mut feed = feed();
    let viewer = Viewer::subscribed(&mut feed, 1);
    viewer.subscribed.end();
    let first = plain(&feed, 1);
    feed.event(first);
    feed.tick();
    assert!(viewer.received().is_empty());
    assert!(feed.subscribers.is_empty());
}
