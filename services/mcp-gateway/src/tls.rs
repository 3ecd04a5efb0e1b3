//! The certificates that HTTP clients trust.

use std::io::Read as _;

use tarsy_catalog::Remote;

use crate::failure::Failure;

/// The largest part of a `ca_file` that is read, in bytes.
const CA_BYTES: u64 = 4 * 1024 * 1024;

/// Applies `verify_ssl` and `ca_file` of a server. The file is read for each client, so that a renewed
/// file needs no restart.
pub(crate) fn with_trust(
    builder: reqwest::ClientBuilder,
    remote: &Remote,
) -> Result<reqwest::ClientBuilder, Failure> {
    let builder = builder.tls_danger_accept_invalid_certs(!remote.verify_ssl);
    let Some(path) = &remote.ca_file else { return Ok(builder) };
    let unusable =
        |why: String| Failure::Configuration(format!("ca_file: {}: {why}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| unusable(error.to_string()))?;
    let mut pem = Vec::new();
    file.take(CA_BYTES).read_to_end(&mut pem).map_err(|error| unusable(error.to_string()))?;
    let authorities = reqwest::Certificate::from_pem_bundle(&pem)
        .map_err(|_| unusable("it holds no certificates in PEM".to_owned()))?;
    if authorities.is_empty() {
        return Err(unusable("it holds no certificates in PEM".to_owned()));
    }
    Ok(builder.tls_certs_merge(authorities))
}
