//! Counters that exist from the start of a process.
//!
//! Prometheus computes a rate from two values of a series: the first increment of a counter that appears with it is
//! never seen, and a ratio whose numerator is missing has no value at all.

/// Makes a counter without labels exist.
pub fn register_counter(name: &'static str) {
    metrics::counter!(name).increment(0);
}

/// Makes a counter exist for each value of its label.
pub fn register_counters(name: &'static str, label: &'static str, values: &[&'static str]) {
    for value in values {
        metrics::counter!(name, label => *value).increment(0);
    }
}
