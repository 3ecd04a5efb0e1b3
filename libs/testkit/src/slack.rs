//! What Slack puts on the requests that it sends.

use std::fmt::Write as _;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};

/// The value of `X-Slack-Signature` for a body that is sent at this time, in seconds since 1970.
pub fn slack_signature(signing_secret: &str, timestamp: i64, body: &str) -> String {
    let key = Key::new(HMAC_SHA256, signing_secret.as_bytes());
    let tag = sign(&key, format!("v0:{timestamp}:{body}").as_bytes());
    tag.as_ref().iter().fold("v0=".to_owned(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
