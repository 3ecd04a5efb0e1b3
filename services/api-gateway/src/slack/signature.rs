//! The signature of Slack: `v0=` and the HMAC-SHA256 of `v0:TIMESTAMP:BODY` with the app's signing secret.

use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

const TIMESTAMP_HEADER: &str = "x-slack-request-timestamp";
const SIGNATURE_HEADER: &str = "x-slack-signature";
/// How far a request's time may be from ours, in seconds: Slack recommends five minutes. What is older may be a
/// request that somebody recorded.
const WINDOW_SECONDS: u64 = 300;
const DIGEST_BYTES: usize = 32;

/// What the headers of a request claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    timestamp: i64,
    digest: [u8; DIGEST_BYTES],
}

impl Signed {
    /// Reads the headers. The error is for whoever sets the app up.
    pub(super) fn read(headers: &HeaderMap, now: Timestamp) -> Result<Self, &'static str> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let timestamp = text(TIMESTAMP_HEADER).and_then(|text| text.parse::<i64>().ok());
        let timestamp = timestamp.ok_or("X-Slack-Request-Timestamp is missing or no time")?;
        let digest = text(SIGNATURE_HEADER).and_then(|text| text.strip_prefix("v0="));
        let digest = digest.and_then(hex).ok_or("X-Slack-Signature is missing or no signature")?;
        if timestamp.abs_diff(now.as_second()) > WINDOW_SECONDS {
            return Err("the request is older than five minutes, or a clock is wrong");
        }
        Ok(Self { timestamp, digest })
    }

    /// Compares in constant time.
    pub(super) fn verify(&self, secret: &SecretString, body: &[u8]) -> Result<(), &'static str> {
        let wrong = "X-Slack-Signature does not fit the body and the signing secret";
        let key = secret.expose_secret().as_bytes();
        let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| wrong)?;
        mac.update(format!("v0:{}:", self.timestamp).as_bytes());
        mac.update(body);
        mac.verify_slice(&self.digest).map_err(|_| wrong)
    }
}

/// Reads 64 hexadecimal digits.
fn hex(text: &str) -> Option<[u8; DIGEST_BYTES]> {
    let is_hex = text.len() == 2 * DIGEST_BYTES && text.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_hex {
        return None;
    }
    let mut digest = [0; DIGEST_BYTES];
    for (index, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    // printf 'v0:1531420618:token=x&payload=%%7B%%7D' | openssl dgst -sha256 -hmac topsecret
    const TIME: i64 = 1_531_420_618;
    const BODY: &[u8] = b"token=x&payload=%7B%7D";
    const SIGNATURE: &str = "v0=3a6f68470ed0ce9433bb32f0f64695a8e8c57648750dad5045fad4aec44129d8";

    fn headers(timestamp: &str, signature: &str) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_str(text).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(TIMESTAMP_HEADER, value(timestamp));
        headers.insert(SIGNATURE_HEADER, value(signature));
        headers
    }

    fn read(timestamp: &str, signature: &str, now: i64) -> Result<Signed, &'static str> {
        Signed::read(&headers(timestamp, signature), Timestamp::from_second(now).unwrap())
    }

    #[test]
    fn the_signature_of_the_body_with_the_secret_fits() {
        let signed = read(&TIME.to_string(), SIGNATURE, TIME).unwrap();
        let secret = SecretString::from("topsecret");
        assert_eq!(signed.verify(&secret, BODY), Ok(()));
        assert!(signed.verify(&secret, b"token=x&payload=%7b%7d").is_err());
        assert!(signed.verify(&SecretString::from("other"), BODY).is_err());
        let later = read(&(TIME + 1).to_string(), SIGNATURE, TIME).unwrap();
        assert!(later.verify(&secret, BODY).is_err(), "the time is signed, too");
    }

    #[test]
    fn a_request_is_accepted_for_five_minutes() {
        let at = |now: i64| read(&TIME.to_string(), SIGNATURE, now).is_ok();
        assert!(at(TIME + 300) && at(TIME - 300));
        assert!(!at(TIME + 301) && !at(TIME - 301));
        assert!(read(&i64::MIN.to_string(), SIGNATURE, TIME).is_err());
    }

    #[test]
    fn headers_that_are_no_signature_are_refused() {
        let time = TIME.to_string();
        for signature in
            ["", "v0=", "v1=00", &SIGNATURE.replace("v0=", ""), &format!("{SIGNATURE}0"), "v0=é"]
        {
            let bytes = HeaderValue::from_bytes(signature.as_bytes()).unwrap();
            let mut headers = headers(&time, "v0=");
            headers.insert(SIGNATURE_HEADER, bytes);
            assert!(
                Signed::read(&headers, Timestamp::from_second(TIME).unwrap()).is_err(),
                "{signature}"
            );
        }
        assert!(read("now", SIGNATURE, TIME).is_err());
        assert!(Signed::read(&HeaderMap::new(), Timestamp::from_second(TIME).unwrap()).is_err());
    }
}
