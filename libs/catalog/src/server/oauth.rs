//! OAuth of MCP servers.

use std::path::PathBuf;

use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{AbsolutePath, AllowedHost, As, Document, Each, Scope, not_empty};

/// How the tokens of a server are obtained.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OAuth {
    /// A person, with `tarsy mcp login ID`, or the client itself, with `client_id` and `client_secret` or `private_key_file`
    pub grant: OAuthGrant,
    /// The client's id, if it is registered
    #[serde(deserialize_with = "not_empty")]
    #[schemars(with = "String")]
    pub client_id: Option<String>,
    /// Its secret; write it as `"{{.NAME}}"`
    #[serde(deserialize_with = "not_empty")]
    #[schemars(with = "String")]
    pub client_secret: Option<SecretString>,
    /// PEM file (absolute path) with the client's private key, in place of a secret (RFC 7523)
    #[serde(with = "As::<AbsolutePath>")]
    pub private_key_file: Option<PathBuf>,
    /// How the client signs with its key
    pub signing_algorithm: SigningAlgorithm,
    /// https; for servers that identify clients by a document
    #[serde(with = "As::<Document>")]
    pub client_metadata_url: Option<Url>,
    /// Further hosts of authorization servers that may be at private addresses: names, `*.example.com`, addresses, networks
    #[serde(with = "Each::<AllowedHost>")]
    pub authorization_hosts: Vec<String>,
    /// The scopes that are requested
    #[serde(with = "Each::<Scope>")]
    #[schemars(extend("x-default" = "those that the server names"))]
    pub scopes: Vec<String>,
}

/// How a client signs what proves that it is itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SigningAlgorithm {
    /// RSA with SHA-256.
    #[default]
    Rs256,
    /// RSA with SHA-384.
    Rs384,
    /// RSA with SHA-512.
    Rs512,
    /// The curve P-256 with SHA-256.
    Es256,
    /// The curve P-384 with SHA-384.
    Es384,
}

/// Who the tokens of a server are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OAuthGrant {
    /// A person, who logs in with `tarsy mcp login`.
    #[default]
    AuthorizationCode,
    /// The client itself.
    ClientCredentials,
}

impl OAuth {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        self.check_key(at, check);
        if self.grant == OAuthGrant::ClientCredentials {
            let signs = check.has_text(&at.key("private_key_file"));
            let lacks_secret = self.client_secret.is_none() && !signs;
            let needed = [("client_id", self.client_id.is_none()), ("client_secret", lacks_secret)];
            for (key, _) in needed.into_iter().filter(|(_, is_missing)| *is_missing) {
                let suggestion = format!("add `{key}:` as the authorization server gave it to you");
                let message = "is missing for the grant client_credentials";
                check.problem(&at.key(key), message, suggestion);
            }
        } else if self.client_secret.is_some() && self.client_id.is_none() {
            let suggestion = "add `client_id:`, or remove the secret";
            check.problem(&at.key("client_secret"), "has no client_id", suggestion);
        }
    }

    fn check_key(&self, at: &Path, check: &mut Check<'_>) {
        if !check.has_text(&at.key("private_key_file")) {
            let path = at.key("signing_algorithm");
            if check.has_text(&path) {
                let suggestion = "add `private_key_file:`, or remove it";
                check.problem(&path, "has no key to sign with", suggestion);
            }
            return;
        }
        let path = at.key("private_key_file");
        if self.grant != OAuthGrant::ClientCredentials {
            let suggestion = "add `grant: client_credentials`, or remove it";
            let message = "has a meaning for the grant client_credentials only";
            check.problem(&path, message, suggestion);
        }
        if self.client_secret.is_some() {
            let suggestion =
                "remove client_secret or private_key_file: a client authenticates in one way";
            check.problem(&path, "does not go with client_secret", suggestion);
        }
    }
}
