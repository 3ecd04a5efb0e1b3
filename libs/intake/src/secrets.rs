//! What a request is verified with.

use std::fmt;

/// The most secrets that are compared with: the new one and the old one while they are exchanged.
const MAX_SECRETS: usize = 2;

/// What a request is verified with, from outside.
#[derive(Clone, Default)]
pub struct Secrets {
    keys: Vec<Vec<u8>>,
    certificate: Option<Vec<u8>>,
}

impl Secrets {
    /// Secrets of which any one is accepted: the new one and the old one. Empty ones, and more than two, are left out.
    pub fn of<K: AsRef<[u8]>>(keys: impl IntoIterator<Item = K>) -> Self {
        let keys = keys.into_iter().map(|key| key.as_ref().to_vec());
        let keys = keys.filter(|key| !key.is_empty()).take(MAX_SECRETS).collect();
        Self { keys, certificate: None }
    }

    /// The certificate at the address that [`Source::certificate_url`](crate::Source::certificate_url) names, as PEM.
    pub fn certificate(pem: Vec<u8>) -> Self {
        Self { keys: Vec::new(), certificate: Some(pem) }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.iter().map(Vec::as_slice)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn pem(&self) -> Option<&[u8]> {
        self.certificate.as_deref()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("keys", &self.keys.len()).finish_non_exhaustive()
    }
}
