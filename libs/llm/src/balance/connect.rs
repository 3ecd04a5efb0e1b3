//! Opens connections, and asks the worker at the other end whether it serves.

use std::time::Duration;

use tarsy_outbound::describe;
use tokio::time::timeout;
use tonic::Code;
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint, Uri};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::address::{Address, Name};
use super::timing::Timing;

const SERVICE: &str = "llm.v1.LLMService";
/// How an operator names the authorities of llm-service.
const AUTHORITIES: &str = "LLM_SERVICE_TLS_CA";
/// In a health check's answer: the id of the worker, and how many share its address (docs/contracts/llm.md).
const WORKER: &str = "tarsy-worker";
const WORKERS: &str = "tarsy-workers";
/// Of one replica, whatever it reports.
const MAX_WORKERS: usize = 64;

/// What a health check found at the other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Worker {
    /// Empty if it does not say, such as an older llm-service.
    pub(crate) id: String,
    /// How many workers share the address.
    pub(crate) sharing: usize,
}

/// How connections to the addresses of one name are opened.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    /// None for sockets.
    origin: Option<(Uri, String)>,
    tls: Option<ClientTlsConfig>,
    timing: Timing,
}

impl Connector {
    pub(crate) fn new(name: &Name, tls: Option<ClientTlsConfig>, timing: Timing) -> Self {
        let origin = match name {
            Name::Host { uri, host, .. } => Some((uri.clone(), host.clone())),
            Name::Socket(_) => None,
        };
        Self { origin, tls, timing }
    }

    /// A connection whose other end serves, and who that is.
    pub(crate) async fn open(&self, address: &Address) -> Result<(Channel, Worker), String> {
        let endpoint = self.endpoint(address)?;
        let connected = timeout(self.timing.connect, endpoint.connect()).await;
        let channel = connected
            .map_err(|_| format!("no connection within {:?}", self.timing.connect))?
            .map_err(|error| describe(&error, AUTHORITIES))?;
        let worker = check(&channel, self.timing.check).await?;
        Ok((channel, worker))
    }

    fn endpoint(&self, address: &Address) -> Result<Endpoint, String> {
        let failed = |error: tonic::transport::Error| tarsy_telemetry::chain(&error).to_string();
        let is_tls = self.origin.as_ref().is_some_and(|(uri, _)| uri.scheme_str() == Some("https"));
        let uri = match address {
            Address::Ip(address) if is_tls => format!("https://{address}"),
            Address::Ip(address) => format!("http://{address}"),
            Address::Socket(path) => format!("unix:{}", path.display()),
        };
        let mut endpoint = Endpoint::from_shared(uri)
            .map_err(failed)?
            .connect_timeout(self.timing.connect)
            .http2_keep_alive_interval(self.timing.keep_alive)
            .keep_alive_timeout(self.timing.keep_alive_answer)
            .keep_alive_while_idle(true)
            .tcp_nodelay(true);
        let Some((origin, host)) = &self.origin else { return Ok(endpoint) };
        endpoint = endpoint.origin(origin.clone());
        match &self.tls {
            Some(tls) if is_tls => {
                endpoint.tls_config(tls.clone().domain_name(host.clone())).map_err(failed)
            }
            _ => Ok(endpoint),
        }
    }
}

/// Asks the worker at the other end whether it serves.
pub(crate) async fn check(channel: &Channel, limit: Duration) -> Result<Worker, String> {
    let mut client = HealthClient::new(channel.clone());
    let request = HealthCheckRequest { service: SERVICE.to_owned() };
    let answer = timeout(limit, client.check(request)).await;
    match answer.map_err(|_| format!("no answer to a health check within {limit:?}"))? {
        Ok(answer) if answer.get_ref().status() == ServingStatus::Serving => {
            Ok(worker(answer.metadata()))
        }
        Ok(_) => Err("it is stopping".to_owned()),
        // A server without health checks answers calls all the same.
        Err(status) if status.code() == Code::Unimplemented => Ok(worker(status.metadata())),
        Err(status) => Err(format!("{:?}: {}", status.code(), status.message())),
    }
}

fn worker(headers: &MetadataMap) -> Worker {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let sharing = text(WORKERS).and_then(|count| count.parse().ok()).unwrap_or(1);
    Worker {
        id: text(WORKER).unwrap_or_default().to_owned(),
        sharing: usize::clamp(sharing, 1, MAX_WORKERS),
    }
}
