//! What the tables share.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tarsy_masking::{Masker, known_groups};

/// The maskers of all groups; each is built once.
static MASKERS: LazyLock<BTreeMap<&'static str, Masker>> = LazyLock::new(|| {
    known_groups()
        .map(|group| (group, Masker::builder().group(group).build().expect("a known group")))
        .collect()
});

pub(crate) fn masker(group: &str) -> &'static Masker {
    &MASKERS[group]
}

/// Masks and checks that masking again changes nothing.
pub(crate) fn masked(group: &str, text: &str) -> String {
    let masker = masker(group);
    let once = masker.mask(text).expect("maskable").text.into_owned();
    let twice = masker.mask(&once).expect("maskable").text.into_owned();
    assert_eq!(once, twice, "masking is not stable");
    once
}
