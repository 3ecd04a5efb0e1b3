//! The certificate of a signature.

use aws_lc_rs::signature::{
    RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, RsaParameters,
    UnparsedPublicKey,
};
use jiff::Timestamp;
use x509_parser::pem::parse_x509_pem;

use crate::refusal::VerifyError;

/// The most bytes of a certificate; that of Amazon SNS has about 2 kB.
const MAX_PEM_BYTES: usize = 16 * 1024;
const WHAT: &str = "the certificate of the signature";
const FIX: &str = "fetch it again from SigningCertURL";

/// The digest that was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digest {
    Sha1,
    Sha256,
}

/// Verifies an RSA signature (PKCS #1 v1.5) with the key of a certificate that is valid now. Who issued the certificate is
/// known by the connection that it was fetched over.
pub(crate) fn verify(
    pem: &[u8],
    digest: Digest,
    message: &[u8],
    signature: &[u8],
    now: Timestamp,
) -> Result<(), VerifyError> {
    let wrong = || VerifyError::wrong(WHAT, FIX);
    if pem.len() > MAX_PEM_BYTES {
        return Err(wrong());
    }
    let (_, pem) = parse_x509_pem(pem).map_err(|_| wrong())?;
    let certificate = pem.parse_x509().map_err(|_| wrong())?;
    let validity = certificate.validity();
    let (from, until) = (validity.not_before.timestamp(), validity.not_after.timestamp());
    if !(from..=until).contains(&now.as_second()) {
        return Err(VerifyError::wrong(format!("the date of {WHAT}"), FIX));
    }
    let key = &certificate.public_key().subject_public_key.data;
    UnparsedPublicKey::new(algorithm(digest), key)
        .verify(message, signature)
        .map_err(|_| VerifyError::wrong("the signature of the message", "send it as SNS signed it"))
}

const fn algorithm(digest: Digest) -> &'static RsaParameters {
    match digest {
        // Version 1 of SNS, which topics have unless `SignatureVersion` is set to 2.
        Digest::Sha1 => &RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
        Digest::Sha256 => &RSA_PKCS1_2048_8192_SHA256,
    }
}
