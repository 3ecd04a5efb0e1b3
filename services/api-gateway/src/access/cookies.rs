//! The cookies of a browser: one names its sign-in, another its attempt to sign in.

use std::time::Duration;

use cookie::{Cookie, CookieBuilder, SameSite};
use http::{HeaderMap, HeaderValue, header};
use tarsy_web::BasePath;
use url::Url;

/// How long a person may take to sign in at the issuer.
const ATTEMPT_LIFETIME: Duration = Duration::from_mins(10);

/// A cookie of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CookieKind {
    /// Names a sign-in; random.
    SignIn,
    Attempt,
    /// One half of what shows that a browser was given the token of the start.
    Local,
}

/// Reads and writes cookies.
#[derive(Clone, Debug)]
pub(crate) struct Cookies {
    /// Sent over TLS only, and under names that no other host of the domain can set.
    secure: bool,
    /// Others below the host are not sent the cookies of a dashboard that has a path.
    base: BasePath,
}

impl Cookies {
    /// Of a dashboard at this address; plain http is for this machine only, which the configuration checks.
    pub(crate) fn new(dashboard_url: &str) -> Self {
        let secure = Url::parse(dashboard_url).is_ok_and(|url| url.scheme() == "https");
        Self { secure, base: BasePath::of_url(dashboard_url) }
    }

    fn name(&self, kind: CookieKind) -> String {
        // Browsers take `__Host-` for the whole host alone.
        let prefix = match (self.secure, self.base.is_root()) {
            (true, true) => "__Host-",
            (true, false) => "__Secure-",
            (false, _) => "",
        };
        let name = match kind {
            CookieKind::SignIn => "tarsy_sign_in",
            CookieKind::Attempt => "tarsy_attempt",
            CookieKind::Local => "tarsy_local",
        };
        format!("{prefix}{name}")
    }

    /// The value of a cookie that a browser sent.
    pub(crate) fn read(&self, headers: &HeaderMap, kind: CookieKind) -> Option<String> {
        let sent = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        sent.flat_map(Cookie::split_parse)
            .filter_map(Result::ok)
            .find(|cookie| cookie.name() == self.name(kind))
            .map(|cookie| cookie.value().to_owned())
            .filter(|value| !value.is_empty())
    }

    /// Sets the cookie of a sign-in that is valid for so long.
    pub(crate) fn sign_in(&self, value: &str, lifetime: Duration) -> Option<HeaderValue> {
        self.write(CookieKind::SignIn, value, lifetime)
    }

    /// Sets the cookie of an attempt to sign in.
    pub(crate) fn attempt(&self, value: &str) -> Option<HeaderValue> {
        self.write(CookieKind::Attempt, value, ATTEMPT_LIFETIME)
    }

    /// Sets the cookie of a browser that was given the token of the start, until the browser ends.
    pub(crate) fn local(&self, value: &str) -> Option<HeaderValue> {
        let cookie = self.build(CookieKind::Local, value).same_site(SameSite::Strict);
        HeaderValue::from_str(&cookie.to_string()).ok()
    }

    pub(crate) fn delete(&self, kind: CookieKind) -> Option<HeaderValue> {
        self.write(kind, "", Duration::ZERO)
    }

    fn write(&self, kind: CookieKind, value: &str, lifetime: Duration) -> Option<HeaderValue> {
        let seconds = i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX);
        let cookie = self
            .build(kind, value)
            .same_site(SameSite::Lax)
            .max_age(cookie::time::Duration::seconds(seconds));
        HeaderValue::from_str(&cookie.to_string()).ok()
    }

    fn build<'a>(&self, kind: CookieKind, value: &'a str) -> CookieBuilder<'a> {
        let path = if self.base.is_root() { "/" } else { self.base.as_str() };
        Cookie::build((self.name(kind), value))
            .path(path.to_owned())
            .http_only(true)
            .secure(self.secure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_tls_no_other_host_of_the_domain_can_set_the_cookie() {
        let cookies = Cookies::new("https://tarsy.example");
        let set = cookies.sign_in("abc", Duration::from_mins(1)).unwrap();
        let expected =
            "__Host-tarsy_sign_in=abc; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=60";
        assert_eq!(set, expected);
        let below = Cookies::new("https://host.example/tarsy");
        let set = below.sign_in("abc", Duration::from_mins(1)).unwrap();
        let expected =
            "__Secure-tarsy_sign_in=abc; HttpOnly; SameSite=Lax; Secure; Path=/tarsy; Max-Age=60";
        assert_eq!(set, expected);
        let local = Cookies::new("http://localhost:8080");
        assert_eq!(
            local.delete(CookieKind::SignIn).unwrap(),
            "tarsy_sign_in=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0"
        );
        assert_eq!(
            local.attempt("a").unwrap(),
            "tarsy_attempt=a; HttpOnly; SameSite=Lax; Path=/; Max-Age=600"
        );
        assert_eq!(local.local("a").unwrap(), "tarsy_local=a; HttpOnly; SameSite=Strict; Path=/");
    }

    #[test]
    fn a_cookie_is_found_among_others_under_its_own_name_only() {
        let read = |cookies: &Cookies, sent: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for one in sent {
                headers.append(header::COOKIE, HeaderValue::from_static(one));
            }
            cookies.read(&headers, CookieKind::SignIn)
        };
        let (tls, local) = (Cookies::new("https://t.example"), Cookies::new("http://localhost"));
        assert_eq!(read(&tls, &["a=b; __Host-tarsy_sign_in=x", "c=d"]).as_deref(), Some("x"));
        assert_eq!(read(&tls, &["a=b", "__Host-tarsy_sign_in=y"]).as_deref(), Some("y"));
        assert_eq!(read(&tls, &["tarsy_sign_in=x"]), None, "anybody of the domain can set it");
        assert_eq!(read(&local, &["tarsy_sign_in=x"]).as_deref(), Some("x"));
        assert_eq!(read(&local, &["tarsy_sign_in="]), None);
    }
}
