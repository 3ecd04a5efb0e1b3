//! Servers that do not answer, in words.

use tarsy_outbound::{AUTHORITIES, Obstacle, describe, obstacle};
use url::Url;

/// Why a server does not answer; only one that nothing listens for may not run.
pub(crate) fn unreachable(base: &Url, error: &(dyn std::error::Error + 'static)) -> anyhow::Error {
    match obstacle(error) {
        None | Some(Obstacle::Refused | Obstacle::Closed) => anyhow::anyhow!(
            "{base} does not answer: {}; is it running? `tarsy up` starts it",
            describe(error, AUTHORITIES)
        ),
        Some(found) => anyhow::anyhow!("{base} cannot be asked: {}", found.explain(AUTHORITIES)),
    }
}
