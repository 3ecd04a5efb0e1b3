//! Requests that nobody was identified for, counted for each address: the first one of a minute is an entry at once, the rest of
//! the minute one more with their number.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use metrics::counter;
use tarsy_store::NewAuditEntry;
use tokio::sync::Notify;
use uuid::Uuid;

use super::line::log;

/// The most addresses that are counted apart within a minute; all others are counted together.
const MAX_ADDRESSES: usize = 1_024;
/// The most entries that wait for the database: those of some minutes without it.
const MAX_ENTRIES: usize = 8 * MAX_ADDRESSES;

/// What was counted and is not stored yet.
#[derive(Debug, Default)]
pub(super) struct Anonymous {
    state: Mutex<State>,
    /// Notified of an entry that is to be stored at once.
    pub(super) added: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Of this minute; the last key is for the addresses beyond the limit.
    counted: HashMap<Option<Source>, NewAuditEntry>,
    /// Ready to be stored.
    entries: Vec<NewAuditEntry>,
}

/// Where requests come from: an address, or a network of 64 bits, which one client of IPv6 has to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    Unknown,
    Address(IpAddr),
}

impl Source {
    fn of(address: Option<&str>) -> Self {
        match address.and_then(|address| address.parse().ok()) {
            Some(IpAddr::V6(address)) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                Self::Address(Ipv6Addr::from_bits(network).into())
            }
            Some(address) => Self::Address(address),
            None => Self::Unknown,
        }
    }
}

impl Anonymous {
    /// Counts a request. Returns it if it is the first one of its source within the minute.
    pub(super) fn count(&self, entry: NewAuditEntry) -> Option<NewAuditEntry> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let source = Source::of(entry.client_address.as_deref());
        let is_full = state.counted.len() >= MAX_ADDRESSES;
        let key =
            Some(source).filter(|source| !is_full || state.counted.contains_key(&Some(*source)));
        if let Some(counted) = state.counted.get_mut(&key) {
            counted.count += 1;
            return None;
        }
        // It does not name one address for what many sent.
        let client_address = entry.client_address.clone().filter(|_| key.is_some());
        let first = NewAuditEntry { client_address, ..entry };
        state.counted.insert(key, NewAuditEntry { count: 0, ..first.clone() });
        state.push(first.clone());
        drop(state);
        self.added.notify_one();
        Some(first)
    }

    /// Ends the minute: what was counted beside the first of each source becomes entries.
    pub(super) fn end_minute(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, counted) in std::mem::take(&mut state.counted) {
            if counted.count > 0 {
                let rest = NewAuditEntry { id: Uuid::now_v7(), ..counted };
                log(&rest);
                state.push(rest);
            }
        }
    }

    /// The entries that are ready to be stored.
    pub(super) fn take(&self) -> Vec<NewAuditEntry> {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).entries)
    }
}

impl State {
    fn push(&mut self, entry: NewAuditEntry) {
        if self.entries.len() < MAX_ENTRIES {
            self.entries.push(entry);
        } else {
            counter!("tarsy_audit_entries_dropped_total").increment(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(address: &str) -> NewAuditEntry {
        NewAuditEntry {
            id: Uuid::now_v7(),
            principal: "anonymous".to_owned(),
            credential: "none".to_owned(),
            client_address: Some(address.to_owned()),
            action: "read".to_owned(),
            object: Some("/api/v1/sessions".to_owned()),
            outcome: "denied",
            status: 401,
            request_id: None,
            count: 1,
            session_id: None,
            decided: None,
        }
    }

    fn many() -> u32 {
        u32::try_from(MAX_ADDRESSES).unwrap()
    }

    fn counts(anonymous: &Anonymous) -> Vec<(Option<String>, i64)> {
        let mut counts: Vec<_> =
            anonymous.take().into_iter().map(|entry| (entry.client_address, entry.count)).collect();
        counts.sort();
        counts
    }

    #[test]
    fn a_flood_from_one_address_is_two_entries_a_minute() {
        let anonymous = Anonymous::default();
        for _ in 0..100_000 {
            anonymous.count(denied("192.0.2.1"));
        }
        anonymous.count(denied("192.0.2.2"));
        let first = |address: &str| (Some(address.to_owned()), 1);
        assert_eq!(counts(&anonymous), [first("192.0.2.1"), first("192.0.2.2")]);
        anonymous.end_minute();
        assert_eq!(counts(&anonymous), [(Some("192.0.2.1".to_owned()), 99_999)]);
        anonymous.end_minute();
        assert_eq!(counts(&anonymous), []);
        assert!(anonymous.count(denied("192.0.2.1")).is_some(), "a new minute");
    }

    #[test]
    fn a_flood_from_many_addresses_is_counted_together() {
        let anonymous = Anonymous::default();
        let addresses = (0..many() + 500)
            .map(|number| IpAddr::from((0x0a00_0000 + number).to_be_bytes()).to_string());
        for address in addresses {
            anonymous.count(denied(&address));
        }
        assert_eq!(anonymous.take().len(), MAX_ADDRESSES + 1);
        anonymous.end_minute();
        assert_eq!(counts(&anonymous), [(None, 499)]);
        for number in 0..500 {
            anonymous.count(denied(&format!("2001:db8:1:2::{number:x}")));
        }
        anonymous.end_minute();
        let total: i64 = counts(&anonymous).iter().map(|(_, count)| count).sum();
        assert_eq!(total, 500, "one network of IPv6 is one source");
    }

    #[test]
    fn without_a_database_entries_are_bounded() {
        let anonymous = Anonymous::default();
        for _ in 0..20 {
            for number in 0..many() {
                anonymous.count(denied(&IpAddr::from(number.to_be_bytes()).to_string()));
            }
            anonymous.end_minute();
        }
        assert_eq!(anonymous.take().len(), MAX_ENTRIES);
    }
}
