//! An llm-service of a test: a real gRPC server on a local port, which can be killed.

use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tarsy_llm_proto::v1;
use tarsy_llm_proto::v1::llm_service_server::{LlmService, LlmServiceServer};
use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Notify, watch};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

const STOP: Duration = Duration::from_secs(10);

/// A running server; dropping it kills it.
pub(super) struct Played {
    runtime: Option<Runtime>,
    address: SocketAddr,
    service: Service,
}

#[derive(Clone)]
struct Service {
    name: &'static str,
    /// How many workers it says share its address.
    sharing: usize,
    serves: Arc<AtomicBool>,
    full: Arc<AtomicBool>,
    asked: Arc<Notify>,
    /// Whether turns are answered; until then they wait.
    answers: watch::Sender<bool>,
    /// Whether turns that have begun end.
    ends: watch::Sender<bool>,
}

impl Played {
    pub(super) fn start(name: &'static str) -> Self {
        Self::start_at(name, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    pub(super) fn start_at(name: &'static str, address: SocketAddr) -> Self {
        Self::start_worker(name, 1, address)
    }

    /// One of several workers that share an address.
    pub(super) fn start_worker(name: &'static str, sharing: usize, address: SocketAddr) -> Self {
        let service = Service {
            name,
            sharing,
            serves: Arc::new(AtomicBool::new(true)),
            full: Arc::default(),
            asked: Arc::default(),
            answers: watch::channel(true).0,
            ends: watch::channel(false).0,
        };
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let listening = runtime.enter();
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseport(true).expect("a shared port");
        socket.bind(address).expect("a port");
        let listener = socket.listen(64).expect("a listener");
        let address = listener.local_addr().expect("its address");
        drop(listening);
        let server = Server::builder()
            .add_service(HealthServer::new(service.clone()))
            .add_service(LlmServiceServer::new(service.clone()));
        runtime.spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Self { runtime: Some(runtime), address, service }
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) const fn name(&self) -> &'static str {
        self.service.name
    }

    /// Waits for a turn.
    pub(super) async fn asked(&self) {
        self.service.asked.notified().await;
    }

    /// Lets turns wait for their answer, or answers them.
    pub(super) fn set_answers(&self, answers: bool) {
        self.service.answers.send_replace(answers);
    }

    /// Lets the turns that have begun end.
    pub(super) fn end_turns(&self) {
        self.service.ends.send_replace(true);
    }

    /// What health checks report.
    pub(super) fn set_serves(&self, serves: bool) {
        self.service.serves.store(serves, Ordering::SeqCst);
    }

    /// Whether turns are refused at capacity.
    pub(super) fn set_full(&self, full: bool) {
        self.service.full.store(full, Ordering::SeqCst);
    }

    /// Ends it with all its connections, as `SIGKILL` does.
    pub(super) async fn kill(mut self) {
        if let Some(runtime) = self.runtime.take() {
            tokio::task::spawn_blocking(move || runtime.shutdown_timeout(STOP))
                .await
                .expect("ends");
        }
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl LlmService for Service {
    type GenerateStream = Answers<v1::GenerateResponse>;

    async fn generate(
        &self,
        _: Request<v1::GenerateRequest>,
    ) -> Result<Response<Self::GenerateStream>, Status> {
        self.asked.notify_one();
        if self.full.load(Ordering::SeqCst) {
            return Err(Status::resource_exhausted("too many turns"));
        }
        let (mut answers, mut ends) = (self.answers.subscribe(), self.ends.subscribe());
        answers.wait_for(|answers| *answers).await.map_err(|_| Status::aborted("stopped"))?;
        let text = v1::TextDelta { content: self.name.to_owned() };
        let text = v1::generate_response::Chunk::Text(text);
        let first = v1::GenerateResponse { chunk: Some(text), ..Default::default() };
        let last = async move {
            ends.wait_for(|ends| *ends).await.map_err(|_| Status::aborted("stopped"))?;
            let mut last = v1::GenerateResponse { is_final: true, ..Default::default() };
            last.set_finish_reason(v1::FinishReason::Stop);
            Ok::<_, Status>(last)
        };
        let first = futures::stream::iter([Ok(first)]);
        Ok(Response::new(first.chain(futures::stream::once(last)).boxed()))
    }

    async fn list_providers(
        &self,
        _: Request<v1::ListProvidersRequest>,
    ) -> Result<Response<v1::ListProvidersResponse>, Status> {
        let name = self.name.to_owned();
        let provider = v1::ProviderStatus { name, missing_variables: Vec::new() };
        Ok(Response::new(v1::ListProvidersResponse { providers: vec![provider] }))
    }

    /// Each text has its number of characters as its vector.
    async fn embed(
        &self,
        request: Request<v1::EmbedRequest>,
    ) -> Result<Response<v1::EmbedResponse>, Status> {
        let length = |text: &String| f32::from(u16::try_from(text.len()).unwrap_or(u16::MAX));
        let of = |text| v1::Vector { values: vec![length(text)] };
        let vectors = request.get_ref().texts.iter().map(of).collect();
        Ok(Response::new(v1::EmbedResponse { vectors, ..v1::EmbedResponse::default() }))
    }
}

#[tonic::async_trait]
impl Health for Service {
    type WatchStream = Answers<HealthCheckResponse>;

    async fn check(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let serves = self.serves.load(Ordering::SeqCst);
        let status = if serves { ServingStatus::Serving } else { ServingStatus::NotServing };
        let mut answer = Response::new(HealthCheckResponse { status: status.into() });
        let headers = answer.metadata_mut();
        headers.insert("tarsy-worker", self.name.parse().map_err(|_| Status::internal("name"))?);
        headers.insert("tarsy-workers", self.sharing.into());
        Ok(answer)
    }

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        Err(Status::unimplemented("not played"))
    }
}
