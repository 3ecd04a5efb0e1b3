//! `dns_lookup`.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use tarsy_hosts::{Host, Reach};

use crate::args::DnsArgs;
use crate::error::{ToolError, ToolResult};

/// How long a lookup may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How many addresses are listed.
const MAX_ADDRESSES: usize = 50;

/// Resolves a name as the programs of this machine do.
pub(crate) async fn lookup(args: DnsArgs, hosts: &Reach) -> ToolResult {
    let name = host_name(&args.name)?;
    let host = Host::parse(name).ok_or_else(|| not_a_name(name))?;
    // A question to a name server carries the name out: it is checked before it is asked.
    if !hosts.contains(&host) {
        return Err(ToolError::not_allowed(&host));
    }
    let started = Instant::now();
    let found = tokio::time::timeout(TIMEOUT, tokio::net::lookup_host((name, 0))).await;
    let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let failure = match found {
        Ok(Ok(addresses)) => {
            let mut ips: Vec<IpAddr> =
                addresses.map(|address| address.ip()).take(MAX_ADDRESSES).collect();
            ips.sort();
            ips.dedup();
            let texts: Vec<String> = ips.iter().map(ToString::to_string).collect();
            return Ok(
                json!({ "name": name, "resolved": true, "latency_ms": took, "addresses": texts }),
            );
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", TIMEOUT.as_secs()),
    };
    Ok(json!({ "name": name, "resolved": false, "latency_ms": took, "error": failure }))
}

fn host_name(name: &str) -> Result<&str, ToolError> {
    let name = name.trim();
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if name.is_empty() || name.len() > 253 || name.starts_with('-') || !name.chars().all(allowed) {
        return Err(not_a_name(name));
    }
    Ok(name)
}

fn not_a_name(name: &str) -> ToolError {
    ToolError::invalid(
        format!("{name:?} is not a host name"),
        "use a bare name such as api.example.com, without scheme, port or path",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_scheme_and_no_path() {
        for name in ["https://example.com", "a/b", "", "a b", "-x", "é.example"] {
            assert!(host_name(name).is_err(), "{name}");
        }
        assert_eq!(host_name(" db_1.internal "), Ok("db_1.internal"));
    }
}
