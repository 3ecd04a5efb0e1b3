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

/// An address that is sent Slack's token, so it is https, unless it is this machine.
pub(crate) struct SlackApi;

impl Rule for SlackApi {
    type Value = String;

    fn parse<E: de::Error>(text: &str) -> Result<String, E> {
        let url = http(text)?;
        let local = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        if !local && url.scheme() != "https" {
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
