//! The keys of an issuer, and the verification of its tokens.

use std::time::Duration;

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::OidcError;

/// Asymmetric ones only: with a symmetric one, the public key would sign.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
/// The most keys that are kept.
const MAX_KEYS: usize = 100;
/// The longest token that is read.
const MAX_TOKEN: usize = 32 * 1024;

/// A JSON Web Key Set. Keys of kinds that are not known are left out, not an error.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    keys: Vec<Value>,
}

/// The keys of an issuer that sign tokens.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Debug)]
struct Key {
    id: Option<String>,
    algorithm: Option<Algorithm>,
    public: DecodingKey,
}

/// What a token must say.
pub(super) struct Rules<'a> {
    pub(super) issuer: &'a str,
    pub(super) audience: &'a str,
    pub(super) clock_skew: Duration,
}

/// The header of a token that is signed with an accepted algorithm.
pub(super) fn header(token: &str) -> Result<Header, OidcError> {
    if token.len() > MAX_TOKEN {
        return Err(OidcError::Claim { claim: "token".to_owned(), problem: "is too long" });
    }
    // `none` is not a name that the library knows.
    let header = jsonwebtoken::decode_header(token)?;
    // Nothing that a `crit` could ask for is implemented.
    if !ALGORITHMS.contains(&header.alg) || header.crit.is_some() {
        return Err(OidcError::Algorithm);
    }
    Ok(header)
}

impl From<Document> for Keys {
    fn from(document: Document) -> Self {
        Self(document.keys.into_iter().filter_map(read).take(MAX_KEYS).collect())
    }
}

fn read(key: Value) -> Option<Key> {
    let key: Jwk = serde_json::from_value(key).ok()?;
    let common = &key.common;
    let signs = matches!(common.public_key_use, None | Some(PublicKeyUse::Signature));
    if !signs || matches!(key.algorithm, AlgorithmParameters::OctetKey(_)) {
        return None;
    }
    let algorithm = match common.key_algorithm {
        None => None,
        Some(name) => Some(name.to_string().parse().ok()?),
    };
    Some(Key { id: common.key_id.clone(), algorithm, public: DecodingKey::from_jwk(&key).ok()? })
}

impl Keys {
    /// Whether a token with this header may be of one of them.
    pub(super) fn has(&self, header: &Header) -> bool {
        self.candidates(header).next().is_some()
    }

    fn candidates<'a>(&'a self, header: &'a Header) -> impl Iterator<Item = &'a Key> {
        self.0.iter().filter(|key| {
            let same_id = header.kid.is_none() || key.id == header.kid;
            let fits = key.algorithm.is_none_or(|algorithm| algorithm == header.alg);
            same_id && fits && key.public.family() == header.alg.family()
        })
    }

    /// The claims of a token, if it is signed with one of these keys and says what it must.
    pub(super) fn verify(
        &self,
        token: &str,
        header: &Header,
        rules: &Rules<'_>,
    ) -> Result<Map<String, Value>, OidcError> {
        let mut validation = Validation::new(header.alg);
        validation.leeway = rules.clock_skew.as_secs();
        validation.validate_nbf = true;
        validation.set_issuer(&[rules.issuer]);
        validation.set_audience(&[rules.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        let mut problem = OidcError::UnknownKey;
        for key in self.candidates(header) {
            match jsonwebtoken::decode(token, &key.public, &validation) {
                Ok(data) => return Ok(data.claims),
                Err(error) => problem = error.into(),
            }
        }
        Err(problem)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_that_cannot_sign_tokens_are_left_out() {
        let ec = json!({"kty": "EC", "crv": "P-256", "kid": "a", "use": "sig", "alg": "ES256",
            "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"});
        let mut encrypts = ec.clone();
        encrypts["use"] = "enc".into();
        let symmetric = json!({"kty": "oct", "kid": "b", "k": "c2VjcmV0"});
        let unknown = json!({"kty": "LAT", "kid": "c"});
        let document: Document =
            serde_json::from_value(json!({"keys": [encrypts, symmetric, unknown, ec, 7]})).unwrap();
        let keys = Keys::from(document);
        assert_eq!(keys.0.len(), 1);
        let mut header = Header::new(Algorithm::ES256);
        assert!(keys.has(&header), "without an id every key of the kind may be it");
        header.kid = Some("b".to_owned());
        assert!(!keys.has(&header));
        let mut other = Header::new(Algorithm::RS256);
        other.kid = Some("a".to_owned());
        assert!(!keys.has(&other), "a key verifies its own algorithm only");
    }

    #[test]
    fn unsigned_and_symmetric_tokens_are_refused_by_their_header() {
        // The algorithms none and HS256, ES256 with a `crit`, and no algorithm.
        for header in [
            "eyJhbGciOiJub25lIn0",
            "eyJhbGciOiJIUzI1NiJ9",
            "eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiYjY0Il19",
            "e30",
        ] {
            assert!(super::header(&format!("{header}.e30.")).is_err(), "{header}");
        }
    }
}
