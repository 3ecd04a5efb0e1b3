//! Masks secrets in all output of a server before it leaves the gateway.
//!
//! Besides the patterns of the server's configuration, the credentials that the gateway gave the server
//! are masked wherever they appear, even when masking is disabled.

mod credentials;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tarsy_catalog::McpServer;
use tarsy_contracts::mcp::Tool;
use tarsy_masking::{Masker, WITHHELD};

use crate::failure::Failure;
use crate::oauth::Account;
use crate::text::truncate;
use crate::{limits, metrics};

/// Replaces an OAuth token.
const TOKEN: &str = "[MASKED_OAUTH_TOKEN]";

/// The keywords of a schema with text for readers, and those with values.
const ANNOTATIONS: [&str; 3] = ["description", "title", "$comment"];
const EXAMPLES: [&str; 3] = ["default", "example", "examples"];

#[derive(Debug)]
pub(crate) struct Masked {
    pub(crate) text: String,
    /// The number of masked secrets.
    pub(crate) count: u64,
}

/// A line of standard error with one of these words describes the error.
const ERROR_WORDS: [&str; 9] =
    ["error", "fatal", "panic", "fail", "cannot", "could not", "unable", "denied", "refused"];
/// The most lines of standard error in the reason of a failure.
const ERROR_LINES: usize = 3;

/// The masks of one server.
pub(crate) struct Masks {
    /// None if the patterns do not compile; every text is withheld then.
    masker: Option<Masker>,
    /// Its current tokens are masked, too.
    account: Option<Arc<Account>>,
}

impl Masks {
    /// The masks of a server; `variables` are the gateway's own, of which it may inherit some.
    pub(crate) fn of(
        server: &McpServer,
        account: Option<Arc<Account>>,
        variables: &BTreeMap<String, String>,
    ) -> Self {
        let mut builder = Masker::builder();
        for secret in credentials::of_transport(&server.transport.endpoint, variables) {
            builder = builder.secret_value(&secret);
        }
        if server.data_masking.enabled {
            builder = builder.rules(&server.data_masking.rules());
        }
        let refused = |error| {
            tracing::error!(mcp.server = server.id, %error, "the masking patterns do not compile; results are withheld");
        };
        Self { masker: builder.build().map_err(refused).ok(), account }
    }

    /// Masks that withhold every text.
    pub(crate) const fn withholding() -> Self {
        Self { masker: None, account: None }
    }

    /// Masks descriptions and examples of tools, and leaves the keywords that arguments are validated
    /// with unchanged.
    pub(crate) async fn tools(self: &Arc<Self>, mut tools: Vec<Tool>) -> Vec<Tool> {
        let masks = Arc::clone(self);
        let masking = tarsy_service::compute(move || {
            for tool in &mut tools {
                tool.description = masks.mask_now(&tool.description).text;
                masks.mask_annotations(&mut tool.input_schema);
            }
            tools
        });
        masking.await.unwrap_or_default()
    }

    fn mask_annotations(&self, schema: &mut Value) {
        match schema {
            Value::Object(parts) => {
                for (name, part) in parts {
                    match part {
                        Value::String(text) if ANNOTATIONS.contains(&name.as_str()) => {
                            *text = self.mask_now(text).text;
                        }
                        _ if EXAMPLES.contains(&name.as_str()) => self.mask_examples(part),
                        _ => self.mask_annotations(part),
                    }
                }
            }
            Value::Array(parts) => parts.iter_mut().for_each(|part| self.mask_annotations(part)),
            _ => {}
        }
    }

    /// Masks every text in an example. An object with a `type` is the schema of a parameter of that name;
    /// its annotations are masked.
    fn mask_examples(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.mask_now(text).text,
            Value::Array(parts) => parts.iter_mut().for_each(|part| self.mask_examples(part)),
            Value::Object(parts) if parts.contains_key("type") => self.mask_annotations(value),
            Value::Object(parts) => parts.values_mut().for_each(|part| self.mask_examples(part)),
            _ => {}
        }
    }

    /// Masks a text; a long one on a thread for blocking work.
    pub(crate) async fn mask(self: &Arc<Self>, text: String) -> Masked {
        if text.len() <= limits::MASK_INLINE {
            return self.mask_now(&text);
        }
        let masks = Arc::clone(self);
        let masking = tarsy_service::compute(move || masks.mask_now(&text));
        masking.await.unwrap_or_else(|_| withheld())
    }

    /// The masked reason of a failure, in one clause.
    pub(crate) fn reason(&self, failure: &Failure) -> String {
        let mut reason = failure.to_string();
        if let Some(account) = self.account.as_ref().filter(|_| failure.is_access_denied()) {
            reason.push_str("; ");
            reason.push_str(&account.remedy());
        }
        if let Some(stderr) = failure.stderr() {
            reason.push_str("; standard error: ");
            reason.push_str(&error_excerpt(&self.mask_now(stderr).text));
        }
        truncate(self.mask_now(&reason).text, limits::REASON_BYTES)
    }

    fn mask_now(&self, text: &str) -> Masked {
        let Some(masker) = &self.masker else { return withheld() };
        // Tokens are masked first: a pattern might match only a part of one.
        let (text, tokens) = self.mask_tokens(text);
        let clean = match masker.mask(&text) {
            Ok(clean) => clean,
            Err(error) => {
                tracing::error!(%error, "masking failed; a text is withheld");
                return withheld();
            }
        };
        for (rule, found) in &clean.counts {
            metrics::masked(rule, *found);
        }
        let count = u64::try_from(clean.total()).unwrap_or(u64::MAX).saturating_add(tokens);
        Masked { text: clean.text.into_owned(), count }
    }

    /// The text without the tokens of the account, and their number.
    fn mask_tokens<'a>(&self, text: &'a str) -> (Cow<'a, str>, u64) {
        let secrets = self.account.as_ref().map(|account| account.secrets()).unwrap_or_default();
        secrets.iter().fold((Cow::Borrowed(text), 0_u64), |(text, count), secret| {
            let found = text.matches(secret.as_str()).count();
            if found == 0 {
                return (text, count);
            }
            let found = u64::try_from(found).unwrap_or(u64::MAX);
            (Cow::Owned(text.replace(secret.as_str(), TOKEN)), count.saturating_add(found))
        })
    }
}

/// The first lines of standard error that describe an error, or else its end.
fn error_excerpt(stderr: &str) -> String {
    let describes_error = |line: &&str| {
        let line = line.to_lowercase();
        ERROR_WORDS.iter().any(|word| line.contains(word))
    };
    let lines: Vec<&str> =
        stderr.lines().map(str::trim).filter(describes_error).take(ERROR_LINES).collect();
    if !lines.is_empty() {
        return truncate(lines.join("; "), limits::STDERR_EXCERPT);
    }
    let text = stderr.trim();
    let from = text.ceil_char_boundary(text.len().saturating_sub(limits::STDERR_EXCERPT));
    text.get(from..).unwrap_or_default().to_owned()
}

fn withheld() -> Masked {
    metrics::withheld();
    Masked { text: WITHHELD.to_owned(), count: 0 }
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::{Endpoint, Subprocess};

    use super::*;

    fn masks(enabled: bool, groups: &[&str]) -> Arc<Masks> {
        let env = tarsy_catalog::Env::empty().without_llm_credentials().without_slack_token();
        let catalog = tarsy_catalog::Catalog::builtin(&env).unwrap();
        let mut server = catalog.servers.values().next().unwrap().clone();
        server.data_masking.enabled = enabled;
        server.data_masking.pattern_groups = groups.iter().map(|&group| group.to_owned()).collect();
        let variables = [("API_TOKEN", "our-credential-1"), ("MODE", "read-only-mode")];
        server.transport.endpoint = Endpoint::Stdio(Subprocess {
            command: "x".to_owned(),
            args: Vec::new(),
            env: variables.map(|(name, value)| (name.to_owned(), value.into())).into(),
            inherit_env: vec!["GITHUB_TOKEN".to_owned()],
            sandbox: tarsy_catalog::Sandbox::default(),
            limits: tarsy_catalog::ProcessLimits::default(),
        });
        let ours = [("GITHUB_TOKEN".to_owned(), "our-credential-2".to_owned())];
        Arc::new(Masks::of(&server, None, &ours.into()))
    }

    #[tokio::test]
    async fn given_credentials_are_masked_even_if_masking_is_disabled() {
        let text = "our-credential-1 in read-only-mode with our-credential-2";
        let masked = masks(false, &[]).mask(text.to_owned()).await;
        assert!(!masked.text.contains("our-credential"), "{}", masked.text);
        assert!(masked.text.contains("read-only-mode"), "{}", masked.text);
        assert_eq!(masked.count, 2);
    }

    #[tokio::test]
    async fn every_text_is_withheld_when_the_patterns_do_not_compile() {
        let masked = masks(true, &["no such group"]).mask("harmless".to_owned()).await;
        assert_eq!(masked.text, WITHHELD);
    }

    /// A key without an end, longer than the part of a text that is searched at once.
    fn endless() -> String {
        format!("-----BEGIN PRIVATE KEY-----\n{}", "MIIEowIBAAKCAQEA7abc\n".repeat(650_000))
    }

    #[tokio::test]
    async fn a_text_that_is_too_long_to_be_masked_is_withheld() {
        let masks = masks(true, &["security"]);
        // Of results, errors of arguments, steps of progress, and warnings.
        assert_eq!(masks.mask(endless()).await.text, WITHHELD);
        let mut schema = serde_json::json!({"properties": {"a": {"default": [endless()]}}});
        masks.mask_annotations(&mut schema);
        assert_eq!(schema["properties"]["a"]["default"][0], WITHHELD);
    }

    #[test]
    fn the_reason_of_a_failure_quotes_the_error_lines_of_standard_error() {
        let usage = "  --flag string\n".repeat(900);
        let stderr = format!("Error: no route to host, password: hunter2secret\nUsage:\n{usage}");
        let failure = Failure::NotSent.with_stderr(stderr);
        let reason = masks(true, &["security"]).reason(&failure);
        assert!(reason.contains("Error: no route to host"), "{reason}");
        assert!(!reason.contains("hunter2secret") && !reason.contains("--flag"), "{reason}");
    }

    #[test]
    fn without_error_lines_the_reason_quotes_the_end_of_standard_error() {
        let failure = Failure::NotSent.with_stderr(format!("{}bye\n", "x\n".repeat(900)));
        let reason = masks(true, &["security"]).reason(&failure);
        assert!(reason.ends_with("bye") && reason.len() < 900, "{reason}");
    }
}
