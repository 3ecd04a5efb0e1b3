//! One attempt to sign in: its state, nonce and code verifier, all derived from a secret in a cookie of the browser.

use tarsy_store::secret;
use url::form_urlencoded;

/// The longest path to return to; longer ones would not fit into a cookie.
const MAX_RETURN_TO: usize = 1_500;
const RETURN_TO: &str = "return_to";

/// An attempt to sign in. Only the browser that began it can complete it: the server stores nothing.
pub(crate) struct SignInAttempt {
    secret: String,
    return_to: String,
}

impl SignInAttempt {
    /// A new attempt; none if the system has no randomness.
    pub(crate) fn new(return_to: String) -> Option<Self> {
        Some(Self { secret: secret::random_text()?, return_to })
    }

    /// Whether an attempt may return to this path: the redirect stays on this server, and shows a page.
    pub(crate) fn returns_to(path: &str) -> bool {
        path.starts_with('/')
            && !path.starts_with("//")
            && path.len() <= MAX_RETURN_TO
            && path != "/api"
            && !path.starts_with("/api/")
            && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    }

    pub(crate) fn from_cookie(value: &str) -> Option<Self> {
        let (secret, rest) = value.split_once('.')?;
        let (name, return_to) = form_urlencoded::parse(rest.as_bytes()).next()?;
        let is_valid = !secret.is_empty() && name == RETURN_TO && Self::returns_to(&return_to);
        is_valid.then(|| Self { secret: secret.to_owned(), return_to: return_to.into_owned() })
    }

    pub(crate) fn cookie(&self) -> String {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair(RETURN_TO, &self.return_to);
        format!("{}.{}", self.secret, form.finish())
    }

    pub(crate) fn return_to(&self) -> &str {
        &self.return_to
    }

    /// What the issuer sends back with the browser.
    pub(crate) fn state(&self) -> String {
        secret::derive(&self.secret, "state")
    }

    /// What the issuer writes into the ID token.
    pub(crate) fn nonce(&self) -> String {
        secret::derive(&self.secret, "nonce")
    }

    /// What only the server that redeems the code sends.
    pub(crate) fn code_verifier(&self) -> String {
        secret::derive(&self.secret, "code_verifier")
    }

    pub(crate) fn code_challenge(&self) -> String {
        secret::challenge(&self.code_verifier())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_server_are_returned_to() {
        for path in ["/", "/sessions/1?tab=trace&x=a,b;c#call-3", "/submit?text=%E6%97%A5"] {
            assert!(SignInAttempt::returns_to(path), "{path}");
            let attempt = SignInAttempt::new(path.to_owned()).unwrap();
            let read = SignInAttempt::from_cookie(&attempt.cookie()).unwrap();
            assert_eq!((read.return_to(), read.state()), (path, attempt.state()));
        }
        for path in [
            "",
            "sessions",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "/\t/evil.example",
            "/a b",
            "/a\r\nSet-Cookie: x",
            "/api/v1/sign-in",
            "javascript:alert(1)",
        ] {
            assert!(!SignInAttempt::returns_to(path), "{path}");
        }
        assert!(!SignInAttempt::returns_to(&format!("/{}", "a".repeat(MAX_RETURN_TO))));
    }

    #[test]
    fn state_nonce_and_verifier_do_not_give_each_other_away() {
        let attempt = SignInAttempt::new("/".to_owned()).unwrap();
        let other = SignInAttempt::new("/".to_owned()).unwrap();
        assert_ne!(attempt.state(), other.state());
        assert_ne!(attempt.state(), attempt.nonce());
        assert_ne!(attempt.nonce(), attempt.code_verifier());
        assert_eq!(attempt.code_verifier().len(), 43, "RFC 7636 asks for 43 to 128 characters");
        assert!(
            attempt
                .cookie()
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b";,\"\\".contains(&byte))
        );
    }

    #[test]
    fn a_cookie_that_was_made_up_is_no_attempt() {
        for value in
            ["", "secret", ".return_to=%2F", "secret.return_to=%2F%2Fevil.example", "secret.x=%2F"]
        {
            assert!(SignInAttempt::from_cookie(value).is_none(), "{value}");
        }
    }
}
