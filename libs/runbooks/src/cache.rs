//! Texts that were fetched a moment ago.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many texts are kept; each has at most a mebibyte.
const MOST: usize = 32;

/// A small memory with a time to live.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    ttl: Duration,
    kept: Mutex<HashMap<String, (Instant, Arc<T>)>>,
}

impl<T> Cache<T> {
    pub(crate) fn new(ttl: Duration) -> Self {
        Self { ttl, kept: Mutex::default() }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<T>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, value) = kept.get(key)?;
        (since.elapsed() < self.ttl).then(|| Arc::clone(value))
    }

    pub(crate) fn put(&self, key: &str, value: Arc<T>) {
        if self.ttl.is_zero() {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (since, _)| since.elapsed() < self.ttl);
        if kept.len() >= MOST {
            let oldest = kept.iter().min_by_key(|(_, (since, _))| *since);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                kept.remove(&oldest);
            }
        }
        kept.insert(key.to_owned(), (Instant::now(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_newest_and_only_for_a_while() {
        let cache = Cache::new(Duration::from_hours(1));
        for number in 0..=MOST {
            cache.put(&number.to_string(), Arc::new(number));
        }
        assert_eq!(cache.get("0"), None);
        assert_eq!(cache.get("32").as_deref(), Some(&32));
        let off = Cache::new(Duration::ZERO);
        off.put("a", Arc::new(1));
        assert_eq!(off.get("a"), None);
    }
}
