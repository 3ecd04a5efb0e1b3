//! The section `system.access.oidc` of `tarsy.yaml`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{AllowedHost, As, Each, Issuer, NotBlank, Positive, Scope, Span, VariableName};

const MAX_CLOCK_SKEW: Duration = Duration::from_mins(10);
/// Whoever leaves a company may still be signed in for so long.
const MAX_SESSION_LIFETIME: Duration = Duration::from_hours(30 * 24);

/// How people sign in with OpenID Connect, and which tokens of the issuer scripts may send.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Oidc {
    /// The issuer, as its discovery document writes it; needed in mode `oidc`
    #[serde(with = "As::<Issuer>")]
    pub issuer: Option<String>,
    /// Further hosts of its endpoints that may be at private addresses: names, `*.example.com`, addresses, networks
    #[serde(with = "Each::<AllowedHost>")]
    pub endpoint_hosts: Vec<String>,
    /// TARSy's id at the issuer; needed in mode `oidc`
    #[serde(with = "As::<NotBlank>")]
    pub client_id: Option<String>,
    /// Variable of api-gateway with the client's secret; a public client has none
    #[serde(with = "As::<VariableName>")]
    pub client_secret_env: Option<String>,
    /// Audience of tokens that scripts send; by default `client_id`
    #[serde(with = "As::<NotBlank>")]
    pub audience: Option<String>,
    /// Scopes beside `openid`
    #[default(["profile", "email"].map(str::to_owned).into())]
    #[serde(with = "Each::<Scope>")]
    pub scopes: Vec<String>,
    /// Claim with the user; an unverified `email` is refused
    #[default = "email"]
    #[serde(with = "As::<NotBlank>")]
    pub user_claim: String,
    /// Claim with the groups, a list or a text with commas or spaces; dots lead into objects (`realm_access.roles`)
    #[default = "groups"]
    #[serde(with = "As::<NotBlank>")]
    pub groups_claim: String,
    /// By how much the issuer's clock may differ; at most 10m
    #[default(Duration::from_mins(1))]
    #[serde(with = "As::<Span>")]
    pub clock_skew: Duration,
    /// How long a person stays signed in; at most 30d
    #[default(Duration::from_hours(8))]
    #[serde(with = "As::<Positive>")]
    pub session_lifetime: Duration,
}

impl Oidc {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        let missing = [("issuer", &self.issuer), ("client_id", &self.client_id)];
        for (key, _) in missing.into_iter().filter(|(_, value)| value.is_none()) {
            let suggestion = match key {
                "issuer" => {
                    "write the issuer's address, such as https://login.example.com/realms/main"
                }
                _ => "register TARSy at the issuer, and write the id that it gives",
            };
            let message = "is missing although system.access.mode is oidc".to_owned();
            check.problem(&at.key(key), message, suggestion);
        }
        for (key, value, most, written) in [
            ("clock_skew", self.clock_skew, MAX_CLOCK_SKEW, "10m"),
            ("session_lifetime", self.session_lifetime, MAX_SESSION_LIFETIME, "30d"),
        ] {
            if value > most {
                let message = format!("{value:?} is more than {written}");
                check.problem(&at.key(key), message, format!("write at most {written}"));
            }
        }
    }
}
