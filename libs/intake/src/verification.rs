//! How the sender of a request is verified.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use jiff::Timestamp;

use crate::hmac_signature::HmacSignature;
use crate::refusal::VerifyError;
use crate::secrets::Secrets;

const NAME: &str = "the header Authorization";

/// What a request has beside its body.
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    pub headers: &'a HeaderMap,
    /// What stands after `?` in the address, as it was sent.
    pub query: Option<&'a str>,
}

impl<'a> From<&'a HeaderMap> for Envelope<'a> {
    fn from(headers: &'a HeaderMap) -> Self {
        Self { headers, query: None }
    }
}

/// How the sender of a request is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// A signature of the body.
    Hmac(HmacSignature),
    /// `Authorization: Bearer SECRET`.
    Bearer,
    /// `Authorization: Basic …` with this user, and the secret as the password.
    Basic { user: String },
    /// The secret in the address, as the value of this parameter: for sources that can send nothing else.
    Query { parameter: String },
    /// The secret as the value of this header.
    Header { header: String },
    /// The signature of Amazon SNS, of messages of these topics (ARNs): everybody with an account there can sign others.
    Sns { topics: Vec<String> },
}

/// What the headers and the address of a request say about its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    Verified,
    /// Its body is signed, and is not read yet.
    Unknown,
}

impl Verification {
    /// The name in the configuration.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Hmac(_) => "hmac",
            Self::Bearer => "bearer",
            Self::Basic { .. } => "basic",
            Self::Query { .. } => "query",
            Self::Header { .. } => "header",
            Self::Sns { .. } => "sns",
        }
    }

    /// Verifies what stands in the headers and the address alone.
    pub(crate) fn verify_headers(
        &self,
        envelope: Envelope<'_>,
        secrets: &Secrets,
    ) -> Result<Sender, VerifyError> {
        let headers = envelope.headers;
        match self {
            Self::Hmac(_) | Self::Sns { .. } => return Ok(Sender::Unknown),
            _ if secrets.is_empty() => return Err(VerifyError::NoSecret),
            Self::Bearer => bearer(headers, secrets)?,
            Self::Basic { user } => basic(headers, user, secrets)?,
            Self::Query { parameter } => query(envelope.query, parameter, secrets)?,
            Self::Header { header } => in_header(headers, header, secrets)?,
        }
        Ok(Sender::Verified)
    }

    /// Verifies what stands in headers and body; the signature of SNS stands in the message, which is verified there.
    pub(crate) fn verify(
        &self,
        envelope: Envelope<'_>,
        body: &[u8],
        secrets: &Secrets,
        now: Timestamp,
    ) -> Result<(), VerifyError> {
        let headers = envelope.headers;
        if matches!(self, Self::Sns { .. }) {
            return Ok(());
        }
        if secrets.is_empty() {
            return Err(VerifyError::NoSecret);
        }
        match self {
            Self::Hmac(signature) => signature.verify(headers, body, secrets, now),
            Self::Bearer => bearer(headers, secrets),
            Self::Basic { user } => basic(headers, user, secrets),
            Self::Query { parameter } => query(envelope.query, parameter, secrets),
            Self::Header { header } => in_header(headers, header, secrets),
            Self::Sns { .. } => Ok(()),
        }
    }
}

fn bearer(headers: &HeaderMap, secrets: &Secrets) -> Result<(), VerifyError> {
    let token = credentials(headers, "Bearer", "send `Authorization: Bearer SECRET`")?;
    if secrets.keys().any(|key| is_equal(token.as_bytes(), key)) {
        return Ok(());
    }
    Err(VerifyError::wrong(NAME, "send the secret of this source after Bearer"))
}

/// The secret as it stands in a header.
fn in_header(headers: &HeaderMap, name: &str, secrets: &Secrets) -> Result<(), VerifyError> {
    let what = || format!("the header {name}");
    let sent = headers.get(name).ok_or_else(|| {
        VerifyError::missing(what(), "set the secret where the source sends its requests")
    })?;
    if secrets.keys().any(|key| is_equal(sent.as_bytes(), key)) {
        return Ok(());
    }
    Err(VerifyError::wrong(what(), "send the secret of this source"))
}

/// The first parameter of this name; others of it do not count.
fn query(query: Option<&str>, parameter: &str, secrets: &Secrets) -> Result<(), VerifyError> {
    let what = || format!("the parameter {parameter} of the address");
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let sent = pairs.find(|(name, _)| name == parameter);
    let (_, token) = sent.ok_or_else(|| {
        VerifyError::missing(what(), "write it into the address that the source sends to")
    })?;
    if secrets.keys().any(|key| is_equal(token.as_bytes(), key)) {
        return Ok(());
    }
    Err(VerifyError::wrong(what(), "write the secret of this source, percent-encoded"))
}

fn basic(headers: &HeaderMap, user: &str, secrets: &Secrets) -> Result<(), VerifyError> {
    let text = credentials(headers, "Basic", "send the user and the secret with basic access")?;
    let wrong = || VerifyError::wrong(NAME, "send the user and the secret of this source");
    let decoded = BASE64_STANDARD.decode(text).map_err(|_| wrong())?;
    let fits = secrets.keys().any(|key| {
        let expected = [user.as_bytes(), b":", key].concat();
        is_equal(&decoded, &expected)
    });
    if fits { Ok(()) } else { Err(wrong()) }
}

/// What stands after the scheme, whose case does not matter (RFC 9110).
fn credentials<'a>(
    headers: &'a HeaderMap,
    scheme: &str,
    fix: &'static str,
) -> Result<&'a str, VerifyError> {
    let value = headers.get(AUTHORIZATION).ok_or_else(|| VerifyError::missing(NAME, fix))?;
    let wrong = || VerifyError::wrong(NAME, fix);
    let (sent, rest) = value.to_str().map_err(|_| wrong())?.split_once(' ').ok_or_else(wrong)?;
    if !sent.eq_ignore_ascii_case(scheme) {
        return Err(wrong());
    }
    Ok(rest.trim())
}

/// Compares in a time that depends neither on where texts differ nor on the length of the secret.
fn is_equal(sent: &[u8], secret: &[u8]) -> bool {
    let (sent, secret) = (digest(&SHA256, sent), digest(&SHA256, secret));
    verify_slices_are_equal(sent.as_ref(), secret.as_ref()).is_ok()
}
