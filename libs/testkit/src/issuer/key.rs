//! Keys that sign tokens, and what an attacker does without them.

use anyhow::{Context as _, anyhow};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// How a token is forged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgery {
    /// Without a signature: the algorithm `none`.
    Unsigned,
    /// With HS256, and the public key as its secret.
    PublicKeyAsSecret,
    /// With a key of the attacker, under the id of the issuer's.
    OtherKey,
    /// With a key of the attacker, under an id that nobody has published.
    UnknownKey,
}

#[derive(Debug)]
pub(super) struct SigningKey {
    id: String,
    pair: Pair,
}

#[derive(Debug)]
enum Pair {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
}

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl SigningKey {
    pub(super) fn rsa(id: &str) -> anyhow::Result<Self> {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).map_err(|_| anyhow!("no RSA key"))?;
        Ok(Self { id: id.to_owned(), pair: Pair::Rsa(pair) })
    }

    pub(super) fn p256(id: &str) -> anyhow::Result<Self> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)
            .map_err(|_| anyhow!("no key on P-256"))?;
        Ok(Self { id: id.to_owned(), pair: Pair::P256(pair) })
    }

    /// The public key as issuers publish it.
    pub(super) fn jwk(&self) -> anyhow::Result<Value> {
        Ok(match &self.pair {
            Pair::Rsa(pair) => {
                // The DER of 2048 bits: 9 bytes before the modulus, the exponent 65537 after it.
                let modulus = pair.public_key().as_ref().get(9..265).context("no modulus")?;
                json!({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.id,
                    "n": encode(modulus), "e": "AQAB"})
            }
            Pair::P256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (point.get(1..33).context("no x")?, point.get(33..).context("no y")?);
                json!({"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id,
                    "x": encode(x), "y": encode(y)})
            }
        })
    }

    pub(super) fn sign(&self, claims: &Value) -> anyhow::Result<String> {
        self.sign_as(&self.id, claims)
    }

    fn sign_as(&self, id: &str, claims: &Value) -> anyhow::Result<String> {
        let algorithm = match &self.pair {
            Pair::Rsa(_) => "RS256",
            Pair::P256(_) => "ES256",
        };
        let text = unsigned(&json!({"alg": algorithm, "typ": "JWT", "kid": id}), claims);
        let failed = |_| anyhow!("could not sign");
        let random = SystemRandom::new();
        let signature = match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature)
                    .map_err(failed)?;
                signature
            }
            Pair::P256(pair) => {
                pair.sign(&random, text.as_bytes()).map_err(failed)?.as_ref().to_vec()
            }
        };
        Ok(format!("{text}.{}", encode(signature)))
    }

    pub(super) fn forge(&self, claims: &Value, forgery: Forgery) -> anyhow::Result<String> {
        let public: &[u8] = match &self.pair {
            Pair::Rsa(pair) => pair.public_key().as_ref(),
            Pair::P256(pair) => pair.public_key().as_ref(),
        };
        match forgery {
            Forgery::Unsigned => {
                Ok(format!("{}.", unsigned(&json!({"alg": "none", "kid": self.id}), claims)))
            }
            Forgery::PublicKeyAsSecret => {
                let text = unsigned(&json!({"alg": "HS256", "kid": self.id}), claims);
                let key = hmac::Key::new(hmac::HMAC_SHA256, public);
                let tag = hmac::sign(&key, text.as_bytes());
                Ok(format!("{text}.{}", encode(tag)))
            }
            Forgery::OtherKey => match &self.pair {
                Pair::Rsa(_) => Self::rsa(&self.id)?.sign(claims),
                Pair::P256(_) => Self::p256(&self.id)?.sign(claims),
            },
            Forgery::UnknownKey => self.sign_as("a-key-that-nobody-has", claims),
        }
    }
}

fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", encode(header.to_string()), encode(claims.to_string()))
}
