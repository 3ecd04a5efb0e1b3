//! A machine with addresses of IPv6 alone: each server listens on `::1`, and is named so.

use std::net::{Ipv6Addr, SocketAddr};

use futures::{SinkExt as _, StreamExt as _};
use tarsy_service::ServiceContext;
use tarsy_testkit::{TestLink, TestStack};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::stack::Stack;
use crate::websocket::relay_at;

const HERE: Ipv6Addr = Ipv6Addr::LOCALHOST;

async fn link(url: &str) -> TestLink {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    TestLink::on(listener, url).await.unwrap()
}

#[tokio::test]
async fn postgresql_nats_the_relay_and_browsers_meet_on_ipv6_alone() {
    let servers = TestStack::start().await.unwrap();
    let mut variables = servers.environment("api-gateway", "gateway-1");
    let mut links = Vec::new();
    for name in ["DATABASE_URL", "NATS_URL"] {
        let url = variables[name].clone();
        let link = link(&url).await;
        variables.insert(name.to_owned(), link.url(&url));
        assert!(variables[name].contains("[::1]:"), "{}", variables[name]);
        links.push(link);
    }
    let service = ServiceContext::default();
    let relay = relay_at(&service, SocketAddr::from((HERE, 0))).await;
    variables.insert("TARSY_RELAY_URL".to_owned(), format!("http://{relay}"));
    let stack = Stack::at(servers, variables, SocketAddr::from((HERE, 0))).await;
    assert!(stack.address.is_ipv6());

    let session = stack.pending().await;
    let found = stack.get(&format!("/api/v1/sessions/{session}")).await;
    assert_eq!(found.body["status"], "pending");
    let state = stack.get("/health").await;
    assert_eq!(state.body["checks"]["database"]["status"], "healthy", "{state:?}");

    let url = format!("ws://{}/api/v1/ws", stack.address);
    let mut request = url.into_client_request().unwrap();
    let origin = format!("http://{}", stack.address);
    request.headers_mut().insert("origin", origin.parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
    socket.send(Message::text("live")).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), Message::text("live"));
}
