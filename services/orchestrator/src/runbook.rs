//! Fetches the runbooks that alerts name, masks them, and limits their size.

use std::sync::Arc;

use tarsy_catalog::AlertMasking;
use tarsy_masking::Masker;
use tarsy_runbooks::{Rules, Runbooks};

/// The most of a runbook that a model is given, in tokens.
const MAX_TOKENS: usize = 25_000;

/// Fetches and masks runbooks; cheap to clone.
#[derive(Clone, Debug)]
pub struct RunbookLoader {
    runbooks: Runbooks,
    /// None if `defaults.alert_masking` is disabled.
    masker: Option<Arc<Masker>>,
}

impl RunbookLoader {
    /// Fetches nothing yet. An error names the setting that cannot be used.
    pub fn new(rules: Rules, masking: &AlertMasking) -> anyhow::Result<Self> {
        let masker = if masking.enabled {
            Some(Masker::builder().group(&masking.pattern_group).build()?.into())
        } else {
            None
        };
        Ok(Self { runbooks: Runbooks::new(rules)?, masker })
    }

    /// The masked text, cut to its limit. The error is for people and follows the runbook's address.
    pub(crate) async fn fetch(&self, address: &str) -> Result<String, String> {
        let fetched = self.runbooks.fetch(address).await.map_err(|error| {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not fetch a runbook");
            error.to_string()
        })?;
        let masked = match &self.masker {
            None => fetched,
            Some(masker) => match masker.mask(&fetched) {
                Ok(found) => found.text.into_owned(),
                Err(error) => {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::error!(%error, "a runbook that cannot be masked is withheld");
                    return Err("could not be masked".to_owned());
                }
            },
        };
        Ok(tarsy_tokens::cut(&masked, MAX_TOKENS).unwrap_or(masked))
    }
}
