//! Secrets that identify a sender: random when created, stored as a hash.

use std::fmt::Write as _;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// What every API token begins with, for scanners of leaked secrets.
pub const TOKEN_PREFIX: &str = "tarsy_";
const RANDOM_BYTES: usize = 32;

/// 256 random bits as text; none if the system has no randomness.
pub fn random_text() -> Option<String> {
    let mut bytes = [0_u8; RANDOM_BYTES];
    rand::fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

pub fn new_token() -> Option<String> {
    Some(format!("{TOKEN_PREFIX}{}", random_text()?))
}

/// The SHA-256 of a text, in hexadecimal digits.
pub fn hex_hash(text: &str) -> String {
    hexadecimal(&hash(text))
}

/// Bytes in hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// The SHA-256 of a secret. It is random, so a slow hash would add nothing.
pub fn hash(secret: &str) -> Digest {
    let mut out = Digest::default();
    out.copy_from_slice(digest(&SHA256, secret.as_bytes()).as_ref());
    out
}

/// What a secret becomes for one purpose: nobody can tell the secret, or what it becomes for another purpose, from it.
pub fn derive(secret: &str, purpose: &str) -> String {
    challenge(&format!("{purpose}:{secret}"))
}

/// The SHA-256 of a text in the alphabet of URLs, as PKCE sends it.
pub fn challenge(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(hash(text))
}

/// Compares secrets; how long it takes does not depend on where they differ.
pub fn is_same(one: &str, other: &str) -> bool {
    verify_slices_are_equal(one.as_bytes(), other.as_bytes()).is_ok()
}
