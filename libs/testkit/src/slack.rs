//! What Slack puts on the requests that it sends.

use std::fmt::Write as _;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};

/// The value of `X-Slack-Signature` for a body that is sent at this time, in seconds since 1970.
pub fn slack_signature(signing_secret: &str, timestamp: i64, body: &str) -> String {
    format!("v0={}", hmac_hex(signing_secret, &format!("v0:{timestamp}:{body}")))
}

/// The HMAC-SHA256 of a text.
pub fn hmac_digest(key: &[u8], text: &str) -> Vec<u8> {
    sign(&Key::new(HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

/// The HMAC-SHA256 of a text in hexadecimal digits, as webhooks are signed with.
pub fn hmac_hex(secret: &str, text: &str) -> String {
    hmac_digest(secret.as_bytes(), text).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
