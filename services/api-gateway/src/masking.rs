//! Masks secrets in alerts and questions before they are stored.

use tarsy_catalog::AlertMasking;
use tarsy_domain::code::{Code, Coded};
use tarsy_masking::{Masked, Masker};

use crate::metrics;

/// A text that could not be masked: it is refused, because it would be stored with its secrets.
#[derive(Debug, thiserror::Error)]
#[error("the text could not be masked, so it was not stored")]
pub(crate) struct Error(#[source] tarsy_masking::Error);

impl Coded for Error {
    fn code(&self) -> Code {
        self.0.code()
    }
}

/// The masker of alerts and questions; none when the operator turned it off.
#[derive(Debug)]
pub(crate) struct AlertMasker(Option<Masker>);

impl AlertMasker {
    pub(crate) fn new(rules: &AlertMasking) -> Result<Self, tarsy_masking::Error> {
        if !rules.enabled {
            return Ok(Self(None));
        }
        Masker::builder().group(&rules.pattern_group).build().map(Some).map(Self)
    }

    /// The text without secrets.
    pub(crate) fn mask(&self, text: String) -> Result<String, Error> {
        match &self.0 {
            Some(masker) => masked(masker.mask(&text)),
            None => Ok(text),
        }
    }
}

fn masked(result: Result<Masked<'_>, tarsy_masking::Error>) -> Result<String, Error> {
    let masked = result.map_err(Error)?;
    metrics::masked(masked.total());
    Ok(masked.text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_to_be_masked_is_refused() {
        let rules = AlertMasking { enabled: true, pattern_group: "security".to_owned() };
        let key = "MIIEowIBAAKCAQEA7abc\n".repeat(650_000);
        let endless = format!("-----BEGIN PRIVATE KEY-----\n{key}");
        let error = AlertMasker::new(&rules).unwrap().mask(endless).unwrap_err();
        assert_eq!(error.code(), Code::Invalid);
        assert_eq!(error.to_string(), "the text could not be masked, so it was not stored");
    }

    #[test]
    fn secrets_are_masked_unless_masking_is_off() {
        let text = || "password: hunter2hunter2".to_owned();
        let rules = AlertMasking { enabled: true, pattern_group: "security".to_owned() };
        let masked = AlertMasker::new(&rules).unwrap().mask(text()).unwrap();
        assert!(!masked.contains("hunter2"), "{masked}");
        let off = AlertMasking { enabled: false, ..rules };
        assert_eq!(AlertMasker::new(&off).unwrap().mask(text()).unwrap(), text());
    }
}
