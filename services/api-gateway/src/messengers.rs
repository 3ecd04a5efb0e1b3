//! Mattermost and Teams, whose users give commands: who sent a request, and which thread it is in.

use std::time::Duration;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Client;
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use sha2::Sha256;
use tarsy_catalog::System;
use tarsy_outbound::Proxies;
use tarsy_service::Settings;
use tarsy_store::secret;
use url::Url;

use crate::slack::secret_of;

/// How long a command waits to learn which thread it is in.
const THREAD_TIMEOUT: Duration = Duration::from_millis(800);
/// The most bytes of a post that are read.
const MAX_POST: usize = 1024 * 1024;

/// Those that the configuration names.
#[derive(Default)]
pub(crate) struct Messengers {
    pub(crate) mattermost: Option<Mattermost>,
    pub(crate) teams: Option<Teams>,
}

impl Messengers {
    /// Reads the secrets that the configuration names.
    pub(crate) fn new(system: &System, settings: &Settings) -> anyhow::Result<Self> {
        Ok(Self {
            mattermost: Mattermost::new(system, settings)?,
            teams: Teams::new(system, settings)?,
        })
    }
}

pub(crate) struct Mattermost {
    tokens: Vec<SecretString>,
    client: Client,
    url: Url,
    bot: SecretString,
}

impl Mattermost {
    fn new(system: &System, settings: &Settings) -> anyhow::Result<Option<Self>> {
        let Some(mattermost) = &system.mattermost else { return Ok(None) };
        let what = "the token of the outgoing webhook or slash command";
        let tokens = mattermost.command_token_envs.iter();
        let client = Proxies::of_environment()
            .apply(Client::builder())
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .timeout(THREAD_TIMEOUT)
            .build()?;
        Ok(Some(Self {
            tokens: tokens
                .map(|variable| secret_of(settings, variable, what))
                .collect::<anyhow::Result<_>>()?,
            client,
            url: Url::parse(&mattermost.url).context("system.mattermost.url is no address")?,
            bot: secret_of(settings, &mattermost.token_env, "the bot's token")?,
        }))
    }

    /// Whether it is one of the tokens; how long that takes does not depend on which.
    pub(crate) fn knows(&self, token: &str) -> bool {
        let same = |known: &SecretString| secret::is_same(known.expose_secret(), token);
        self.tokens.iter().fold(false, |found, known| found | same(known))
    }

    /// The first post of the thread that a post is in; itself where the bot may not read it.
    pub(crate) async fn thread_of(&self, post: String) -> String {
        match self.root_of(&post).await {
            Some(root) if !root.is_empty() => root,
            _ => post,
        }
    }

    async fn root_of(&self, post: &str) -> Option<String> {
        let mut url = self.url.clone();
        url.path_segments_mut().ok()?.pop_if_empty().extend(["api", "v4", "posts", post]);
        let request = self.client.get(url).bearer_auth(self.bot.expose_secret());
        let mut response = request.send().await.ok().filter(|one| one.status().is_success())?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            if bytes.len() + chunk.len() > MAX_POST {
                return None;
            }
            bytes.extend_from_slice(&chunk);
        }
        let post: Value = serde_json::from_slice(&bytes).ok()?;
        post.get("root_id").and_then(Value::as_str).map(str::to_owned)
    }
}

pub(crate) struct Teams {
    keys: Vec<Vec<u8>>,
}

impl Teams {
    fn new(system: &System, settings: &Settings) -> anyhow::Result<Option<Self>> {
        let Some(teams) = &system.teams else { return Ok(None) };
        let keys = teams.token_envs.iter().map(|variable| {
            let token =
                secret_of(settings, variable, "the security token of the outgoing webhook")?;
            STANDARD.decode(token.expose_secret()).with_context(|| {
                format!("{variable} is no security token of Teams: it is not Base64")
            })
        });
        Ok(Some(Self { keys: keys.collect::<anyhow::Result<_>>()? }))
    }

    /// The signature in the header `Authorization`: `HMAC` and the Base64 of 32 bytes.
    pub(crate) fn claimed(header: &str) -> Option<Vec<u8>> {
        let text = header.strip_prefix("HMAC ")?.trim();
        STANDARD.decode(text).ok().filter(|digest| digest.len() == 32)
    }

    /// Whether one of the webhooks signed the body.
    pub(crate) fn verify(&self, claimed: &[u8], body: &[u8]) -> bool {
        let fits = |key: &Vec<u8>| {
            Hmac::<Sha256>::new_from_slice(key).is_ok_and(|mut mac| {
                mac.update(body);
                mac.verify_slice(claimed).is_ok()
            })
        };
        self.keys.iter().fold(false, |found, key| found | fits(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of Microsoft's documentation. printf '{"type":"message"}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:…
    const TOKEN: &str = "vqF0En+Z0ucuRTM/01o2GuhMH3hKKk/N2bOmlM31zaA=";
    const BODY: &[u8] = br#"{"type":"message"}"#;
    const SIGNATURE: &str = "HMAC j+dI9anrE9YRqUcFI9N5ednHoZEXfwn7T6gESXpi3Kk=";

    #[test]
    fn the_signature_of_teams_is_that_of_the_body_with_the_decoded_token() {
        let teams = Teams { keys: vec![b"other".to_vec(), STANDARD.decode(TOKEN).unwrap()] };
        let claimed = Teams::claimed(SIGNATURE).unwrap();
        assert!(teams.verify(&claimed, BODY));
        assert!(!teams.verify(&claimed, b"{}"));
        let other = Teams { keys: vec![TOKEN.as_bytes().to_vec()] };
        assert!(!other.verify(&claimed, BODY), "the token is decoded first");
        for wrong in ["", "HMAC", "HMAC AAAA", "Bearer x", "HMAC é"] {
            assert_eq!(Teams::claimed(wrong), None, "{wrong}");
        }
    }
}
