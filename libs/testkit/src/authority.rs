//! A certificate authority for one test.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// An authority that no system knows.
#[derive(Debug)]
pub struct TestAuthority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its key, in PEM.
#[derive(Clone, Debug)]
pub struct TestCertificate {
    pub certificate: String,
    pub key: String,
}

impl TestAuthority {
    pub fn new() -> anyhow::Result<Self> {
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let pem = authority.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(authority, key), pem })
    }

    /// Its own certificate.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A certificate for a host name or an address.
    pub fn certify(&self, host: &str) -> anyhow::Result<TestCertificate> {
        let key = KeyPair::generate()?;
        let certificate =
            CertificateParams::new(vec![host.to_owned()])?.signed_by(&key, &self.issuer)?;
        Ok(TestCertificate { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}
