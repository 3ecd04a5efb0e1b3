//! Takes secrets out of all that a server says, before anyone else reads it.
//!
//! Beside the patterns of the server's configuration, the credentials that we gave the server are
//! taken out wherever they appear, also when masking is off.

mod given;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tarsy_catalog::McpServer;
use tarsy_contracts::mcp::Tool;
use tarsy_masking::{Masker, WITHHELD};

use crate::content::cut;
use crate::failure::Failure;
use crate::oauth::Account;
use crate::{limits, metrics};

/// What stands in the place of an OAuth token.
const TOKEN: &str = "[MASKED_OAUTH_TOKEN]";

/// The words of a schema that are for readers, and those that show values.
const REMARKS: [&str; 3] = ["description", "title", "$comment"];
const EXAMPLES: [&str; 3] = ["default", "example", "examples"];

/// A text without secrets.
#[derive(Debug)]
pub(crate) struct Masked {
    /// The text.
    pub(crate) text: String,
    /// How many secrets were in it.
    pub(crate) count: u64,
}

/// What a line of error output contains that says what went wrong, and how many are told.
const COMPLAINING: [&str; 9] =
    ["error", "fatal", "panic", "fail", "cannot", "could not", "unable", "denied", "refused"];
const COMPLAINTS: usize = 3;

/// What is masked in the words of one server.
pub(crate) struct Masks {
    /// None if the patterns do not compile, so that nothing can be trusted to be clean.
    masker: Option<Masker>,
    /// Whose tokens are masked, too; they change.
    account: Option<Arc<Account>>,
}

impl Masks {
    /// The masks of a server, which may inherit some of the gateway's own variables.
    pub(crate) fn of(
        server: &McpServer,
        account: Option<Arc<Account>>,
        variables: &BTreeMap<String, String>,
    ) -> Self {
        let mut builder = Masker::builder();
        for secret in given::credentials(&server.transport.endpoint, variables) {
            builder = builder.secret_value(&secret);
        }
        if server.data_masking.enabled {
            builder = builder.rules(&server.data_masking.rules());
        }
        let refused = |error| {
            tracing::error!(mcp.server = server.id, %error, "masking cannot be set up; results are withheld");
        };
        Self { masker: builder.build().map_err(refused).ok(), account }
    }

    /// Masks that show nothing.
    pub(crate) const fn withholding() -> Self {
        Self { masker: None, account: None }
    }

    /// Masks what servers say about their tools: descriptions and examples, not what arguments are
    /// checked against.
    pub(crate) async fn tools(self: &Arc<Self>, mut tools: Vec<Tool>) -> Vec<Tool> {
        let masks = Arc::clone(self);
        let masking = tokio::task::spawn_blocking(move || {
            for tool in &mut tools {
                tool.description = masks.mask_now(&tool.description).text;
                masks.mask_remarks(&mut tool.input_schema);
            }
            tools
        });
        masking.await.unwrap_or_default()
    }

    fn mask_remarks(&self, schema: &mut Value) {
        match schema {
            Value::Object(parts) => {
                for (name, part) in parts {
                    match part {
                        Value::String(text) if REMARKS.contains(&name.as_str()) => {
                            *text = self.mask_now(text).text;
                        }
                        _ if EXAMPLES.contains(&name.as_str()) => self.mask_texts(part),
                        _ => self.mask_remarks(part),
                    }
                }
            }
            Value::Array(parts) => parts.iter_mut().for_each(|part| self.mask_remarks(part)),
            _ => {}
        }
    }

    /// Masks every text in an example; what may be a parameter of that name has its remarks masked.
    fn mask_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.mask_now(text).text,
            Value::Array(parts) => parts.iter_mut().for_each(|part| self.mask_texts(part)),
            Value::Object(parts) if parts.contains_key("type") => self.mask_remarks(value),
            Value::Object(parts) => parts.values_mut().for_each(|part| self.mask_texts(part)),
            _ => {}
        }
    }

    /// Masks a text; a long one without holding up others.
    pub(crate) async fn mask(self: &Arc<Self>, text: String) -> Masked {
        if text.len() <= limits::MASK_INLINE {
            return self.mask_now(&text);
        }
        let masks = Arc::clone(self);
        let masking = tokio::task::spawn_blocking(move || masks.mask_now(&text));
        masking.await.unwrap_or_else(|_| withheld())
    }

    /// The reason of a failure in one clause, masked.
    pub(crate) fn reason(&self, failure: &Failure) -> String {
        let mut reason = failure.to_string();
        if let Some(account) = self.account.as_ref().filter(|_| failure.is_refused_access()) {
            reason.push_str("; ");
            reason.push_str(&account.advice());
        }
        if let Failure::Complained { complaints, .. } = failure {
            reason.push_str("; it wrote: ");
            reason.push_str(&telling(&self.mask_now(complaints).text));
        }
        cut(self.mask_now(&reason).text, limits::REASON_BYTES)
    }

    fn mask_now(&self, text: &str) -> Masked {
        let Some(masker) = &self.masker else { return withheld() };
        // Tokens go first: a pattern might take a part of one, and leave the rest.
        let (text, tokens) = self.without_tokens(text);
        let clean = match masker.mask(&text) {
            Ok(clean) => clean,
            Err(error) => {
                tracing::error!(%error, "a text is withheld");
                return withheld();
            }
        };
        for (rule, found) in &clean.counts {
            metrics::masked(rule, *found);
        }
        let count = u64::try_from(clean.total()).unwrap_or(u64::MAX).saturating_add(tokens);
        Masked { text: clean.text.into_owned(), count }
    }

    /// The text without the tokens of the account, and how many there were.
    fn without_tokens<'a>(&self, text: &'a str) -> (Cow<'a, str>, u64) {
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

/// What says most in an error output: the lines that speak of an error, or else the end.
fn telling(complaints: &str) -> String {
    let speaks = |line: &&str| {
        let line = line.to_lowercase();
        COMPLAINING.iter().any(|word| line.contains(word))
    };
    let lines: Vec<&str> =
        complaints.lines().map(str::trim).filter(speaks).take(COMPLAINTS).collect();
    if !lines.is_empty() {
        return cut(lines.join("; "), limits::STDERR_TOLD);
    }
    let told = complaints.trim();
    let from = told.ceil_char_boundary(told.len().saturating_sub(limits::STDERR_TOLD));
    told.get(from..).unwrap_or_default().to_owned()
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
        });
        let ours = [("GITHUB_TOKEN".to_owned(), "our-credential-2".to_owned())];
        Arc::new(Masks::of(&server, None, &ours.into()))
    }

    #[tokio::test]
    async fn our_own_credentials_are_masked_even_if_masking_is_off() {
        let text = "our-credential-1 in read-only-mode with our-credential-2";
        let masked = masks(false, &[]).mask(text.to_owned()).await;
        assert!(!masked.text.contains("our-credential"), "{}", masked.text);
        assert!(masked.text.contains("read-only-mode"), "{}", masked.text);
        assert_eq!(masked.count, 2);
    }

    #[tokio::test]
    async fn nothing_is_shown_when_masking_cannot_be_set_up() {
        let masked = masks(true, &["no such group"]).mask("harmless".to_owned()).await;
        assert_eq!(masked.text, WITHHELD);
    }

    #[test]
    fn the_reason_of_a_failure_tells_what_the_server_complained_of() {
        let usage = "  --flag string\n".repeat(900);
        let complaints =
            format!("Error: no route to host, password: hunter2secret\nUsage:\n{usage}");
        let failure = Failure::NotSent.complained(complaints);
        let reason = masks(true, &["security"]).reason(&failure);
        assert!(reason.contains("Error: no route to host"), "{reason}");
        assert!(!reason.contains("hunter2secret") && !reason.contains("--flag"), "{reason}");
    }

    #[test]
    fn without_complaints_the_end_of_the_error_output_is_told() {
        let failure = Failure::NotSent.complained(format!("{}bye\n", "x\n".repeat(900)));
        let reason = masks(true, &["security"]).reason(&failure);
        assert!(reason.ends_with("bye") && reason.len() < 900, "{reason}");
    }
}
