//! Certificates: expired, for another name, of an unknown issuer.

use super::pattern::{Pattern, both};
use crate::verdict::Category::Certificate;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Certificate,
        90.0,
        "a certificate has expired",
        r"certificate (?:has )?expired|x509: certificate has expired|certificate_expired|ssl.{0,20}expired|notafter.{0,40}expired",
    ),
    both(
        Certificate,
        86.0,
        "a certificate is signed by an authority that the client does not know",
        r"signed by unknown authority|unable to get local issuer|self[- ]signed certificate|unknown_ca|bad_certificate",
    ),
    both(
        Certificate,
        89.0,
        "a certificate is for other names than the one that is called",
        r"certificate is valid for .{1,120}, not|hostname .{0,60}doesn't match|certificate is not valid for any names|no alternative certificate subject name matches|hostname mismatch|certificate is not valid for '",
    ),
    both(
        Certificate,
        78.0,
        "a TLS handshake fails",
        r"certificate verify failed|tls: (?:handshake failure|bad certificate|first record does not look like)|sslhandshakeexception|ssl handshake failed|tls handshake error|pkix path",
    ),
    both(
        Certificate,
        80.0,
        "a certificate cannot be issued or renewed",
        r"failed to (?:issue|renew|determine .{0,20}certificate)|order .{0,40} errored|acme: error",
    ),
];
