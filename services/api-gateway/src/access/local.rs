//! The token of the start: in mode `local` only whoever shows it decides something.

use std::fmt;

use http::HeaderMap;
use percent_encoding::percent_decode;
use tarsy_store::secret;
use tarsy_web::author;

use super::cookies::{CookieKind, Cookies};
use super::principal::{CSRF_HEADER, CsrfToken};

/// The name that a person in mode `local` has given themselves, percent-encoded.
const NAME: &str = "x-tarsy-user";

/// How whoever shows the token of the start calls themselves. Nothing depends on it but what others read.
pub(super) fn own_name(headers: &HeaderMap) -> Option<String> {
    let name = headers.get(NAME).filter(|_| !author::is_repeated(headers, NAME))?;
    author::clean(&percent_decode(name.as_bytes()).decode_utf8().ok()?)
}

/// The token, and the two halves of what a browser has instead of it.
///
/// A cookie of this host goes to every port of it, so that a page at another port of the machine is sent it, too. Scripts
/// of a page cannot read the cookie, and other ports cannot read what the page keeps. Only both together identify.
pub(crate) struct LocalToken {
    text: String,
    cookie: String,
    page_key: CsrfToken,
}

impl LocalToken {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cookie: secret::derive(text, "cookie"),
            page_key: CsrfToken::derived(text, "page"),
        }
    }

    /// Whether this is the token, as a program sends it.
    pub(crate) fn is(&self, sent: &str) -> bool {
        secret::is_same(sent, &self.text)
    }

    /// Whether a page has both halves.
    pub(crate) fn is_shown(&self, cookies: &Cookies, headers: &HeaderMap) -> bool {
        let cookie = cookies.read(headers, CookieKind::Local);
        let page_key = headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok());
        cookie.is_some_and(|cookie| secret::is_same(&cookie, &self.cookie))
            && self.page_key.matches(page_key)
    }

    /// The half that the browser keeps from pages.
    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// The half that the page keeps from other ports.
    pub(crate) fn page_key(&self) -> &CsrfToken {
        &self.page_key
    }
}

impl fmt::Debug for LocalToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalToken")
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_browser_needs_the_cookie_and_the_key_of_its_page() {
        let (ours, other) = (LocalToken::new("one"), LocalToken::new("other"));
        let cookies = Cookies::new("http://localhost:8080");
        let shown = |cookie: &str, key: Option<&str>| {
            let mut headers = HeaderMap::new();
            let cookie = format!("tarsy_local={cookie}");
            headers.insert("cookie", HeaderValue::from_str(&cookie).unwrap());
            if let Some(key) = key {
                headers.insert(CSRF_HEADER, HeaderValue::from_str(key).unwrap());
            }
            ours.is_shown(&cookies, &headers)
        };
        assert!(shown(ours.cookie(), Some(ours.page_key().as_str())));
        assert!(!shown(ours.cookie(), None));
        assert!(!shown(ours.cookie(), Some(ours.cookie())), "one half is not the other");
        assert!(!shown(ours.page_key().as_str(), Some(ours.page_key().as_str())));
        assert!(!shown(other.cookie(), Some(other.page_key().as_str())), "of another start");
        assert!(!shown("one", Some("one")));
        assert!(ours.is("one") && !ours.is("") && !ours.is(ours.cookie()));
    }
}
