//! Takes secrets out of alerts before anything else sees them.

use tarsy_catalog::AlertMasking;
use tarsy_masking::Masker;

use crate::metrics;

/// The masker of alerts; none when the operator turned it off.
#[derive(Debug)]
pub(crate) struct AlertMasker(Option<Masker>);

impl AlertMasker {
    pub(crate) fn new(rules: &AlertMasking) -> Result<Self, tarsy_masking::Error> {
        if !rules.enabled {
            return Ok(Self(None));
        }
        Masker::builder().group(&rules.pattern_group).build().map(Some).map(Self)
    }

    /// The text without secrets. An alert is never lost to its masking: what cannot be masked is
    /// logged and passed.
    pub(crate) fn mask(&self, text: String) -> String {
        let Some(rules) = &self.0 else { return text };
        match rules.mask(&text) {
            Ok(found) => {
                metrics::masked(found.total());
                found.text.into_owned()
            }
            Err(error) => {
                let error = tarsy_telemetry::chain(&error).to_string();
                tracing::error!(error, "an alert is passed unmasked");
                text
            }
        }
    }
}
