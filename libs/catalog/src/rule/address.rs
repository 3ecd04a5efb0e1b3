//! Addresses.

use schemars::{Schema, json_schema};
use serde::de;
use url::{Host, Url};

use super::Rule;
use crate::fault::fault;

/// The address of a server whose own is left open, because this service does not connect to it.
const UNSET_URL: &str = "http://unset.invalid/";

fn http<E: de::Error>(text: &str) -> Result<Url, E> {
    let suggestion = "write an address such as https://host.example.com";
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => {
            let message = format!("must be http or https, not {}", url.scheme());
            Err(fault(message, suggestion))
        }
        Err(error) => Err(fault(format_args!("is not a URL ({error})"), suggestion)),
    }
}

/// The host of an address, as lists of hosts have it.
pub(crate) fn url_host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

/// Whether nobody between can read or answer what is sent to an address: https, or this machine.
pub fn is_safe_address(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    url.scheme() == "https" || (is_loopback(&url) && url.scheme() == "http")
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| is_loopback(&url))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

fn schema() -> Schema {
    json_schema!({ "type": "string", "format": "uri", "pattern": "^https?://" })
}

/// An http(s) address.
pub(crate) struct HttpUrl;

impl Rule for HttpUrl {
    type Value = Url;

    fn parse<E: de::Error>(text: &str) -> Result<Url, E> {
        http(text)
    }

    #[expect(clippy::expect_used, reason = "a constant")]
    fn placeholder() -> Url {
        Url::parse(UNSET_URL).expect("a valid address")
    }

    fn schema() -> Schema {
        schema()
    }
}

/// An http(s) address, kept as it was written.
pub(crate) struct HttpAddress;

impl Rule for HttpAddress {
    type Value = String;

    fn parse<E: de::Error>(text: &str) -> Result<String, E> {
        http(text).map(|_| text.to_owned())
    }

    fn placeholder() -> String {
        UNSET_URL.to_owned()
    }

    fn schema() -> Schema {
        schema()
    }
}

/// An http(s) address that paths are appended to; slashes at its end are removed.
pub(crate) struct HttpBase;

impl Rule for HttpBase {
    type Value = String;

    fn parse<E: de::Error>(text: &str) -> Result<String, E> {
        http(text).map(|_| text.trim_end_matches('/').to_owned())
    }

    fn placeholder() -> String {
        UNSET_URL.to_owned()
    }

    fn schema() -> Schema {
        schema()
    }
}

/// An address that is sent a token, so it is https, unless it is this machine; slashes at its end are removed.
pub(crate) struct TokenAddress;

impl Rule for TokenAddress {
    type Value = String;

    fn parse<E: de::Error>(text: &str) -> Result<String, E> {
        http(text)?;
        if !is_safe_address(text) {
            return Err(fault("would send the token unencrypted", "write https://"));
        }
        Ok(text.trim_end_matches('/').to_owned())
    }

    fn placeholder() -> String {
        UNSET_URL.to_owned()
    }

    fn schema() -> Schema {
        schema()
    }
}

/// The address of an issuer of tokens, kept as it was written, because tokens repeat it.
pub(crate) struct Issuer;

impl Rule for Issuer {
    type Value = String;

    fn parse<E: de::Error>(text: &str) -> Result<String, E> {
        let url = http(text)?;
        if !is_safe_address(text) {
            return Err(fault(
                "would be believed although anybody can answer for it",
                "write https://",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(fault("has a query or a fragment", "write the issuer's address alone"));
        }
        Ok(text.to_owned())
    }

    fn placeholder() -> String {
        UNSET_URL.to_owned()
    }

    fn schema() -> Schema {
        schema()
    }
}

/// The https address of a document.
pub(crate) struct Document;

impl Rule for Document {
    type Value = Url;

    fn parse<E: de::Error>(text: &str) -> Result<Url, E> {
        let url = Url::parse(text).ok();
        url.filter(|url| url.scheme() == "https" && url.path() != "/").ok_or_else(|| {
            let suggestion = "write an address such as https://example.org/tarsy.json";
            fault("must be https, with a path", suggestion)
        })
    }

    fn placeholder() -> Url {
        HttpUrl::placeholder()
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "format": "uri", "pattern": "^https://" })
    }
}
