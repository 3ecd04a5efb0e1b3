//! What the tables share.

use tarsy_masking::Masker;

/// The masker of a group.
pub(crate) fn masker(group: &str) -> Masker {
    Masker::builder().group(group).build().expect("a known group")
}

/// Masks and checks that masking again changes nothing.
pub(crate) fn masked(group: &str, text: &str) -> String {
    let masker = masker(group);
    let once = masker.mask(text).expect("maskable").text.into_owned();
    let twice = masker.mask(&once).expect("maskable").text.into_owned();
    assert_eq!(once, twice, "masking is not stable");
    once
}
