//! Who a verified token names.

use jiff::Timestamp;
use serde_json::{Map, Value};
use tarsy_catalog::Oidc;
use tarsy_store::secret;
use tarsy_web::author;

use super::error::OidcError;

/// The most groups of a user that are read.
const MAX_GROUPS: usize = 1_000;

/// A user, as the issuer describes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) groups: Vec<String>,
    /// When the token stops to be accepted.
    pub(crate) expires_at: Timestamp,
}

fn problem(claim: &str, problem: &'static str) -> OidcError {
    OidcError::Claim { claim: claim.to_owned(), problem }
}

/// Refuses an ID token of another attempt, or one that another client was given.
pub(super) fn check_id_token(
    claims: &Map<String, Value>,
    client_id: &str,
    nonce: &str,
) -> Result<(), OidcError> {
    let text = |claim: &str| claims.get(claim).and_then(Value::as_str);
    if !text("nonce").is_some_and(|given| secret::is_same(given, nonce)) {
        return Err(problem("nonce", "is not that of this sign-in"));
    }
    let several = claims.get("aud").and_then(Value::as_array).is_some_and(|all| all.len() > 1);
    match text("azp") {
        None if several => Err(problem("azp", "is missing although there are several audiences")),
        Some(party) if party != client_id => Err(problem("azp", "names another client")),
        _ => Ok(()),
    }
}

/// Who the claims name, in which groups.
pub(super) fn read(claims: &Map<String, Value>, config: &Oidc) -> Result<Identity, OidcError> {
    let user = &config.user_claim;
    let named = claims.get(user).and_then(Value::as_str).and_then(author::clean);
    let name = named.ok_or_else(|| problem(user, "does not name a user"))?;
    if user == "email" && claims.get("email_verified").is_some_and(is_false) {
        return Err(problem(user, "is not verified by the issuer"));
    }
    let expires_at = claims
        .get("exp")
        .and_then(seconds)
        .and_then(|at| Timestamp::from_second(at).ok())
        .and_then(|at| at.checked_add(config.clock_skew).ok())
        .ok_or_else(|| problem("exp", "is not a time"))?;
    let groups = find(claims, &config.groups_claim).map(groups).unwrap_or_default();
    Ok(Identity { name, groups, expires_at })
}

#[expect(clippy::cast_possible_truncation, reason = "a time beyond the range is the end of it")]
fn seconds(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64))
}

/// Some issuers write a text.
fn is_false(value: &Value) -> bool {
    value == &Value::Bool(false) || value == "false"
}

/// The claim of this name, or at this path: a name may itself have dots, such as an address.
fn find<'a>(claims: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(path) {
        return Some(value);
    }
    let (first, rest) = path.split_once('.')?;
    rest.split('.').try_fold(claims.get(first)?, |value, key| value.get(key))
}

fn groups(value: &Value) -> Vec<String> {
    let texts: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => text.split([',', ' ']).collect(),
        _ => Vec::new(),
    };
    let groups = texts.into_iter().map(str::trim).filter(|group| !group.is_empty());
    groups.take(MAX_GROUPS).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn identity(claims: &Value, config: &Oidc) -> Result<Identity, String> {
        let mut claims = claims.as_object().unwrap().clone();
        claims.insert("exp".to_owned(), json!(2_000_000_000));
        read(&claims, config).map_err(|error| error.to_string())
    }

    #[test]
    fn groups_are_a_list_or_a_text_at_a_path_or_under_a_name_with_dots() {
        let at = |path: &str| Oidc { groups_claim: path.to_owned(), ..Oidc::default() };
        for (path, claims) in [
            ("groups", json!({"groups": ["sre", "on-call"]})),
            ("groups", json!({"groups": "sre,on-call"})),
            ("groups", json!({"groups": " sre on-call "})),
            ("realm_access.roles", json!({"realm_access": {"roles": ["sre", 7, "on-call"]}})),
            ("https://x.example/g", json!({"https://x.example/g": ["sre", "on-call"]})),
        ] {
            let mut claims = claims;
            claims["email"] = "a@example.org".into();
            let read = identity(&claims, &at(path)).unwrap();
            assert_eq!(read.groups, ["sre", "on-call"], "{path}");
        }
        let read = identity(&json!({"email": "a@example.org", "groups": {"a": 1}}), &at("groups"));
        assert!(read.unwrap().groups.is_empty());
    }

    #[test]
    fn a_user_needs_a_name_that_the_issuer_vouches_for() {
        let config = Oidc::default();
        let claims = json!({"email": "a\u{0}@example.org", "email_verified": true});
        assert_eq!(identity(&claims, &config).unwrap().name, "a@example.org");
        for claims in [
            json!({}),
            json!({"email": "  "}),
            json!({"email": 7}),
            json!({"email": "a@example.org", "email_verified": false}),
            json!({"email": "a@example.org", "email_verified": "false"}),
        ] {
            assert!(identity(&claims, &config).is_err(), "{claims}");
        }
    }

    #[test]
    fn an_id_token_is_of_this_attempt_and_for_this_client() {
        let check = |claims: Value| {
            check_id_token(claims.as_object().unwrap(), "tarsy", "n").map_err(|e| e.to_string())
        };
        assert_eq!(check(json!({"nonce": "n", "aud": "tarsy"})), Ok(()));
        assert_eq!(check(json!({"nonce": "n", "aud": ["tarsy", "b"], "azp": "tarsy"})), Ok(()));
        for wrong in [
            json!({"aud": "tarsy"}),
            json!({"nonce": "m", "aud": "tarsy"}),
            json!({"nonce": "n", "aud": ["tarsy", "b"]}),
            json!({"nonce": "n", "aud": "tarsy", "azp": "b"}),
        ] {
            assert!(check(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
