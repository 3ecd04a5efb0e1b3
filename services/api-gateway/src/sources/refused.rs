//! Counts requests of alert sources that are refused, so that a sender that is configured wrongly is seen. Nothing of their
//! bodies is kept, and whoever sends many fills no table: the names and addresses that are distinguished in a minute are few.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tarsy_store::{RefusalReason, RefusedRequests};

/// How many sources and senders are distinguished in a minute; all others are counted together.
const MAX_KEYS: usize = 40;
/// How many rows wait while PostgreSQL is unavailable; further ones are lost.
const MAX_WAITING: usize = 1_000;
const MAX_SOURCE: usize = 64;
const MINUTE: i64 = 60;

/// The counts that are not stored yet; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refused(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    minute: i64,
    keys: BTreeSet<Key>,
    waiting: BTreeMap<(i64, Key), u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    source: String,
    sender: String,
    reason: RefusalReason,
}

impl Refused {
    pub(super) fn add(&self, source: &str, sender: &str, reason: RefusalReason, now: Timestamp) {
        let source = source.chars().take(MAX_SOURCE).collect();
        let key = Key { source, sender: sender.to_owned(), reason };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(key, now);
    }

    pub(super) fn take(&self) -> Vec<RefusedRequests> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = std::mem::take(&mut counts.waiting);
        let row = |((minute, key), requests): ((i64, Key), u64)| RefusedRequests {
            minute: Timestamp::from_second(minute * MINUTE).unwrap_or_default(),
            source: key.source,
            sender: key.sender,
            reason: key.reason,
            requests: i64::try_from(requests).unwrap_or(i64::MAX),
        };
        waiting.into_iter().map(row).collect()
    }

    pub(super) fn put_back(&self, rows: Vec<RefusedRequests>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for row in rows {
            let key = Key { source: row.source, sender: row.sender, reason: row.reason };
            let many = u64::try_from(row.requests).unwrap_or_default();
            counts.wait(row.minute.as_second() / MINUTE, key, many);
        }
    }
}

impl Counts {
    fn add(&mut self, key: Key, now: Timestamp) {
        let minute = now.as_second() / MINUTE;
        if minute != self.minute {
            self.minute = minute;
            self.keys.clear();
        }
        let key = if self.keys.contains(&key) || self.keys.len() < MAX_KEYS {
            self.keys.insert(key.clone());
            key
        } else {
            Key { source: String::new(), sender: String::new(), reason: key.reason }
        };
        self.wait(minute, key, 1);
    }

    fn wait(&mut self, minute: i64, key: Key, requests: u64) {
        let place = (minute, key);
        if self.waiting.len() < MAX_WAITING || self.waiting.contains_key(&place) {
            *self.waiting.entry(place).or_default() += requests;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_beyond_a_number_are_counted_together_and_anew_each_minute() {
        let refused = Refused::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        for n in 0..1_000 {
            refused.add("a", &format!("10.0.0.{n}"), RefusalReason::Unverified, at(0));
            refused.add("a", "10.0.0.0", RefusalReason::Unverified, at(0));
        }
        refused.add(&"x".repeat(500), "b", RefusalReason::UnknownSource, at(60));
        let rows = refused.take();
        assert_eq!(rows.len(), MAX_KEYS + 2);
        let others = rows.iter().find(|row| row.sender.is_empty()).unwrap();
        assert_eq!(others.requests, 1_000 - i64::try_from(MAX_KEYS).unwrap());
        let known = rows.iter().find(|row| row.sender == "10.0.0.0").unwrap();
        assert_eq!(known.requests, 1_001);
        assert_eq!(rows.last().unwrap().source.len(), MAX_SOURCE);
        refused.put_back(rows.clone());
        assert_eq!(refused.take(), rows);
    }
}
