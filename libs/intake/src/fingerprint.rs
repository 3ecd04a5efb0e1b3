//! What occurrences of the same problem have in common.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Separates parts of what is hashed, so that no two lists of parts give the same bytes: texts have no NUL.
const SEPARATOR: [u8; 1] = [0];
/// Hexadecimal digits of a hash: 128 bits.
const DIGITS: usize = 32;

/// The fingerprint of an alert whose source has none. It stays the same over releases: stored ones are compared with it.
pub(crate) fn of(source: &str, labels: &BTreeMap<String, String>, title: &str) -> String {
    let pairs = labels.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    digest([source, title].into_iter().chain(pairs))
}

/// A key of the source, or its hash if it has more characters than this.
pub(crate) fn bounded(key: String, most: usize) -> String {
    if key.chars().count() <= most {
        return key;
    }
    format!("sha256:{}", digest([key.as_str()]))
}

/// The hash of texts in their order.
pub(crate) fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update(SEPARATOR);
    }
    let mut digits = String::with_capacity(DIGITS);
    for byte in hasher.finalize().iter().take(DIGITS / 2) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn a_fingerprint_depends_on_source_labels_and_title_and_not_on_their_order() {
        let first = of("a", &labels(&[("x", "1"), ("y", "2")]), "t");
        assert_eq!(first, of("a", &labels(&[("y", "2"), ("x", "1")]), "t"));
        for other in [
            of("b", &labels(&[("x", "1"), ("y", "2")]), "t"),
            of("a", &labels(&[("x", "1y"), ("", "2")]), "t"),
            of("a", &labels(&[("x", "1"), ("y", "2")]), "u"),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_fingerprint_stays_the_same_over_releases() {
        // printf 'source\0title\0name\0value\0' | sha256sum | cut -c1-32
        let of = of("source", &labels(&[("name", "value")]), "title");
        assert_eq!(of, "e92d725aef94910a372e9f06290efb64");
    }

    #[test]
    fn a_long_key_becomes_a_hash() {
        assert_eq!(bounded("é".repeat(5), 5), "ééééé");
        let long = bounded("x".repeat(6), 5);
        assert!(long.starts_with("sha256:"), "{long}");
        assert_ne!(long, bounded("y".repeat(6), 5));
    }
}
