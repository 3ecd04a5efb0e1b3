//! Words beside numbers that name what is numbered.

use crate::words::stems;

/// Words beside a number that neither name nor count a thing.
pub(super) const OTHERS: &[&str] = &[
    "is", "was", "has", "had", "are", "were", "runs", "run", "ran", "uses", "use", "shows",
    "needs", "takes", "took", "takes", "least", "exactly", "around", "roughly", "just", "another",
    "some", "reached", "reaches", "hit", "status", "code", "limit", "count", "total", "below",
    "above", "via", "draws", "answers", "answered", "failed", "fails", "died", "because", "took",
    "returned", "returns", "gives", "like", "lost", "first", "last", "next", "max", "maximum",
    "minimum", "rose", "fell", "still", "signal", "errno", "error", "exit", "priority", "version",
    "port", "level", "size", "value", "number",
];

/// Whether a word before a number may name what is numbered.
pub(super) fn is_noun(word: &str) -> bool {
    let plain = word.trim_matches(['*', '(', '`']);
    plain.len() > 1
        && plain.chars().all(char::is_alphabetic)
        && !stems(plain).is_empty()
        && !plain.ends_with("ed")
        && !plain.ends_with("ly")
        && !OTHERS.contains(&plain.to_lowercase().as_str())
}
