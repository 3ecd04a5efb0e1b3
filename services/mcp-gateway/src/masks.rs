//! Takes secrets out of all that a server says, before anyone else reads it.
//!
//! Beside the patterns of the server's configuration, the credentials that we gave the server are
//! taken out wherever they appear, also when masking is off.

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use tarsy_catalog::{McpServer, Transport};
use tarsy_masking::{CustomRule, Masker, MaskingRules};

use crate::content::cut;
use crate::failure::Failure;
use crate::limits;

const OURS: &str = "[MASKED_CREDENTIAL]";
const WITHHELD: &str = "[the text is withheld: it could not be masked]";
/// Shorter ones are words and numbers that appear for other reasons.
const SHORTEST: usize = 6;
/// What the name of a variable or header that holds a credential contains.
const TELLING: [&str; 9] =
    ["TOKEN", "KEY", "SECRET", "PASS", "CRED", "AUTH", "DSN", "PRIVATE", "COOKIE"];

/// A text without secrets.
#[derive(Debug)]
pub(crate) struct Masked {
    /// The text.
    pub(crate) text: String,
    /// How many secrets were in it.
    pub(crate) count: u64,
}

enum Patterns {
    Off,
    On(Box<Masker>),
    /// They do not compile, so nothing can be trusted to be clean.
    Broken,
}

/// What is masked in the words of one server.
pub(crate) struct Masks {
    patterns: Patterns,
    ours: Vec<String>,
}

impl Masks {
    /// The masks of a server.
    pub(crate) fn of(server: &McpServer) -> Self {
        Self { patterns: patterns(server), ours: credentials(&server.transport) }
    }

    /// Masks a text; a long one without holding up others.
    pub(crate) async fn mask(self: &Arc<Self>, text: String) -> Masked {
        if text.len() <= limits::MASK_INLINE {
            return self.mask_now(text);
        }
        let masks = Arc::clone(self);
        let masking = tokio::task::spawn_blocking(move || masks.mask_now(text));
        masking.await.unwrap_or_else(|_| withheld())
    }

    /// The reason of a failure in one clause, masked.
    pub(crate) fn reason(&self, failure: &Failure) -> String {
        let mut reason = failure.to_string();
        if let Failure::Complained { complaints, .. } = failure {
            let masked = self.mask_now(complaints.clone()).text;
            let told = masked.trim_end();
            let from = told.ceil_char_boundary(told.len().saturating_sub(limits::STDERR_TOLD));
            if let Some(told) = told.get(from..) {
                reason.push_str("; it wrote: ");
                reason.push_str(told);
            }
        }
        cut(self.mask_now(reason).text, limits::REASON_BYTES)
    }

    fn mask_now(&self, mut text: String) -> Masked {
        let mut count = 0;
        for secret in &self.ours {
            let found = text.matches(secret.as_str()).count();
            if found > 0 {
                count += u64::try_from(found).unwrap_or(u64::MAX);
                text = text.replace(secret.as_str(), OURS);
            }
        }
        match &self.patterns {
            Patterns::Off => Masked { text, count },
            Patterns::Broken => withheld(),
            Patterns::On(masker) => {
                let masked = masker.mask_or_withhold(&text);
                Masked { text: masked.text, count: count.saturating_add(masked.count) }
            }
        }
    }
}

fn withheld() -> Masked {
    Masked { text: WITHHELD.to_owned(), count: 1 }
}

fn patterns(server: &McpServer) -> Patterns {
    let masking = &server.data_masking;
    if !masking.enabled {
        return Patterns::Off;
    }
    let rules = MaskingRules {
        groups: masking.pattern_groups.clone(),
        patterns: masking.patterns.clone(),
        custom: masking
            .custom_patterns
            .iter()
            .map(|custom| CustomRule {
                pattern: custom.pattern.clone(),
                replacement: custom.replacement.clone(),
            })
            .collect(),
    };
    match Masker::new(&rules) {
        Ok(masker) => Patterns::On(Box::new(masker)),
        Err(error) => {
            tracing::error!(mcp.server = server.id, %error, "masking cannot be set up; results are withheld");
            Patterns::Broken
        }
    }
}

/// What we gave this server that nobody else may see, the longest first.
fn credentials(transport: &Transport) -> Vec<String> {
    let mut found: Vec<String> = match transport {
        Transport::Stdio { env, .. } => named(env),
        Transport::Http(remote) | Transport::Sse(remote) => {
            let token = remote.bearer_token.iter().map(|token| token.expose_secret().to_owned());
            let password = remote.url.password().map(str::to_owned);
            named(&remote.custom_headers).into_iter().chain(token).chain(password).collect()
        }
    };
    found.retain(|secret| secret.len() >= SHORTEST);
    found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    found.dedup();
    found
}

fn named(values: &BTreeMap<String, SecretString>) -> Vec<String> {
    values
        .iter()
        .filter(|(name, _)| {
            let name = name.to_uppercase();
            TELLING.iter().any(|telling| name.contains(telling))
        })
        .map(|(_, value)| value.expose_secret().to_owned())
        .collect()
}
