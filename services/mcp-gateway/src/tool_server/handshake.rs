//! What the library starts for each session besides its transport: a handler, which here has nothing to do.
//!
//! The subprocess answers the client. The handler gets a handshake of ours, and then nothing until the session ends,
//! after which the library closes the session.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Ready, ready};

use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    Implementation, InitializeRequest, InitializedNotification, ProtocolVersion, RequestId,
    ServerCapabilities, ServerConfig, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler};
use tokio_util::sync::CancellationToken;

/// The handler of every session. It also gets requests of the stateless dialect, which knows no sessions: it supports
/// none of its versions, so that they are refused.
pub(super) struct NoHandler;

impl ServerHandler for NoHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::default())
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&[])
    }
}

/// The transport of a handler: a handshake, and the end of the session.
pub(super) struct Handshake {
    messages: VecDeque<ClientJsonRpcMessage>,
    ended: CancellationToken,
}

impl Handshake {
    /// A transport that closes once `ended` is cancelled.
    pub(super) fn until(ended: CancellationToken) -> Self {
        let name = Implementation::new("tarsy", env!("CARGO_PKG_VERSION"));
        let client = ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        let initialize = ClientRequest::InitializeRequest(InitializeRequest::new(client));
        let initialized =
            ClientNotification::InitializedNotification(InitializedNotification::default());
        let messages = [
            ClientJsonRpcMessage::request(initialize, RequestId::Number(0)),
            ClientJsonRpcMessage::notification(initialized),
        ];
        Self { messages: messages.into(), ended }
    }
}

impl Transport<RoleServer> for Handshake {
    type Error = Infallible;

    fn send(
        &mut self,
        _: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        done()
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(message) = self.messages.pop_front() {
            return Some(message);
        }
        self.ended.cancelled().await;
        None
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Infallible>> + Send {
        done()
    }
}

fn done() -> Ready<Result<(), Infallible>> {
    ready(Ok(()))
}
