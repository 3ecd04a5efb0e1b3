//! HMAC-SHA256 of a body, or of a time and a body, in hexadecimal digits in a header, or as Standard Webhooks have it.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use jiff::Timestamp;
use sha2::Sha256;

use crate::refusal::VerifyError;
use crate::secrets::Secrets;

/// How far a signed time may be from ours. Sources sign each attempt anew; what is older may be a request that somebody
/// recorded.
pub(crate) const WINDOW: Duration = Duration::from_mins(5);
/// The most signatures in a header: a source sends one for each of its secrets.
const MAX_SIGNATURES: usize = 8;
const DIGEST_BYTES: usize = 32;

/// Where a source writes its signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HmacSignature {
    /// The header with the signature, or with several, separated by commas.
    pub header: String,
    /// What stands before the digits of each, such as `sha256=`.
    pub prefix: String,
    /// The header with the time in seconds since 1970; `TIME:BODY` is signed then, and a request cannot be replayed.
    pub timestamp_header: Option<String>,
    /// The header with the id of the delivery. `ID.TIME.BODY` is signed then, digests are in base64, and so is a secret behind
    /// `whsec_`: Standard Webhooks.
    pub id_header: Option<String>,
}

impl HmacSignature {
    /// The signature of PagerDuty's webhooks (V3), `v1=…`. It signs no time: an event is recognized by its id.
    pub fn pagerduty() -> Self {
        Self {
            header: "x-pagerduty-signature".to_owned(),
            prefix: "v1=".to_owned(),
            ..Self::default()
        }
    }

    /// The signature of Sentry's integrations. The time that Sentry sends is not signed.
    pub fn sentry() -> Self {
        Self { header: "sentry-hook-signature".to_owned(), ..Self::default() }
    }

    /// The signature of Grafana's webhooks. Grafana sends a time only if a header for it is set in the contact point.
    pub fn grafana() -> Self {
        Self {
            header: "x-grafana-alerting-signature".to_owned(),
            timestamp_header: Some("x-grafana-alerting-timestamp".to_owned()),
            ..Self::default()
        }
    }

    /// The signature of GitHub's webhooks. It signs no time: an event is recognized by its id.
    pub fn github() -> Self {
        Self {
            header: "x-hub-signature-256".to_owned(),
            prefix: "sha256=".to_owned(),
            ..Self::default()
        }
    }

    /// The signature of Flux's provider `generic-hmac`.
    pub fn flux() -> Self {
        Self { header: "x-signature".to_owned(), prefix: "sha256=".to_owned(), ..Self::default() }
    }

    /// The signature of LaunchDarkly's webhooks.
    pub fn launchdarkly() -> Self {
        Self { header: "x-ld-signature".to_owned(), ..Self::default() }
    }

    /// The signature of GitLab's webhooks with a signing token, and of all Standard Webhooks.
    pub fn gitlab() -> Self {
        Self {
            header: "webhook-signature".to_owned(),
            prefix: "v1,".to_owned(),
            timestamp_header: Some("webhook-timestamp".to_owned()),
            id_header: Some("webhook-id".to_owned()),
        }
    }

    pub(crate) fn verify(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        secrets: &Secrets,
        now: Timestamp,
    ) -> Result<(), VerifyError> {
        let signatures = self.signatures(headers)?;
        let time = self.time(headers)?;
        let id = self.id(headers)?;
        let mut signed = Vec::new();
        for part in id.into_iter().chain(time.map(|(text, _)| text)) {
            signed.extend_from_slice(part.as_bytes());
            signed.push(if id.is_some() { b'.' } else { b':' });
        }
        let fits = |key: &[u8], digest: &[u8]| {
            let decoded = id.and_then(|_| standard_key(key));
            // A key of any length is accepted.
            let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(decoded.as_deref().unwrap_or(key))
            else {
                return false;
            };
            mac.update(&signed);
            mac.update(body);
            mac.verify_slice(digest).is_ok()
        };
        if !secrets.keys().any(|key| signatures.iter().any(|digest| fits(key, digest))) {
            return Err(VerifyError::wrong(
                format!("the signature in {}", self.header),
                "sign the body as it is sent, with the secret of this source",
            ));
        }
        // Only of a time that is known to be the sender's.
        time.map_or(Ok(()), |(_, time)| within(time, WINDOW, now))
    }

    fn signatures(&self, headers: &HeaderMap) -> Result<Vec<[u8; DIGEST_BYTES]>, VerifyError> {
        let what = || format!("the header {}", self.header);
        let value = headers.get(&self.header).ok_or_else(|| {
            VerifyError::missing(what(), "set the secret where the source signs its requests")
        })?;
        let (between, read, fix): (_, fn(&str) -> _, _) = if self.id_header.is_some() {
            (' ', base64, "send an HMAC-SHA256 in base64 behind `v1,`")
        } else {
            (',', hex, "send an HMAC-SHA256 in hexadecimal digits")
        };
        let parts = value.to_str().unwrap_or_default().split(between).take(MAX_SIGNATURES);
        let digests: Vec<_> = parts
            .filter_map(|part| part.trim().strip_prefix(&self.prefix))
            .filter_map(read)
            .collect();
        if digests.is_empty() {
            return Err(VerifyError::wrong(what(), fix));
        }
        Ok(digests)
    }

    fn id<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a str>, VerifyError> {
        let Some(name) = &self.id_header else { return Ok(None) };
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.map(Some).ok_or_else(|| {
            let fix = "set a signing token where the source signs its requests";
            VerifyError::missing(format!("the header {name}"), fix)
        })
    }

    fn time<'a>(
        &self,
        headers: &'a HeaderMap,
    ) -> Result<Option<(&'a str, Timestamp)>, VerifyError> {
        let Some(name) = &self.timestamp_header else { return Ok(None) };
        let value = headers.get(name).ok_or_else(|| {
            let fix = "set the name of this header where the source signs its requests";
            VerifyError::missing(format!("the header {name}"), fix)
        })?;
        let text = value.to_str().unwrap_or_default();
        let time = text.parse::<i64>().ok().and_then(|time| Timestamp::from_second(time).ok());
        let time = time.ok_or_else(|| {
            VerifyError::wrong(format!("the header {name}"), "send seconds since 1970")
        })?;
        Ok(Some((text, time)))
    }
}

/// Checks that a signed time is neither too old nor, by more than [`WINDOW`], in the future.
pub(crate) fn within(time: Timestamp, most: Duration, now: Timestamp) -> Result<(), VerifyError> {
    let age = now.duration_since(time);
    let far = age.unsigned_abs();
    if age.is_negative() && far > WINDOW {
        return Err(VerifyError::InFuture { ahead: far, most: WINDOW });
    }
    if !age.is_negative() && far > most {
        return Err(VerifyError::TooOld { age: far, most });
    }
    Ok(())
}

/// The key of a secret of Standard Webhooks.
fn standard_key(secret: &[u8]) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(secret.strip_prefix(b"whsec_")?).ok()
}

fn base64(text: &str) -> Option<[u8; DIGEST_BYTES]> {
    BASE64_STANDARD.decode(text).ok()?.try_into().ok()
}

/// Reads 64 hexadecimal digits.
fn hex(text: &str) -> Option<[u8; DIGEST_BYTES]> {
    if text.len() != 2 * DIGEST_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut digest = [0; DIGEST_BYTES];
    for (index, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(digest)
}
