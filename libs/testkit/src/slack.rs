//! What Slack puts on the requests that it sends.

use std::fmt::Write as _;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};

/// The value of `X-Slack-Signature` for a body that is sent at this time, in seconds since 1970.
pub fn slack_signature(signing_secret: &str, timestamp: i64, body: &str) -> String {
    format!("v0={}", hmac_hex(signing_secret, &format!("v0:{timestamp}:{body}")))
}

/// The HMAC-SHA256 of a text in hexadecimal digits, as webhooks are signed with.
pub fn hmac_hex(secret: &str, text: &str) -> String {
    let key = Key::new(HMAC_SHA256, secret.as_bytes());
    let tag = sign(&key, text.as_bytes());
    tag.as_ref().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
