//! Calls over several replicas, against real servers on local ports.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use tarsy_domain::backoff::Backoff;
use tarsy_domain::event::Role;
use tarsy_domain::id::SessionId;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use super::played::Played;
use super::*;
use crate::balance::{Resolver, Timing};
use crate::request::{Config, Message};

/// Far beyond what any step takes.
const LIMIT: Duration = Duration::from_secs(30);
const TIMING: Timing = Timing {
    connect: Duration::from_secs(5),
    check: Duration::from_millis(500),
    check_every: Duration::from_millis(100),
    resolve: Duration::from_secs(5),
    resolve_every: Duration::from_millis(50),
    keep_alive: Duration::from_millis(200),
    keep_alive_answer: Duration::from_millis(500),
    ejection: Backoff::new(Duration::from_millis(100), Duration::from_millis(400)),
};

fn client_of(addresses: &[SocketAddr]) -> GrpcLlm {
    let addresses = addresses.iter().map(|address| format!("http://{address}"));
    client(&Endpoint { addresses: addresses.collect(), ..Endpoint::default() }, Resolver::system())
}

fn client(endpoint: &Endpoint, resolver: Resolver) -> GrpcLlm {
    let replicas = Balancer::with(endpoint, resolver, TIMING).expect("addresses");
    GrpcLlm { replicas, authorization: None, tls: false }
}

fn request() -> Request {
    Request {
        session_id: SessionId::new(),
        execution_id: None,
        messages: vec![Message::new(Role::User, "hello")],
        tools: Vec::new(),
        response_format: None,
        config: Config::default(),
        max_output_tokens: None,
        deadline: LIMIT,
    }
}

/// The name of the replica that answers one short call.
async fn asks(llm: &GrpcLlm) -> Result<String, Error> {
    let listed = timeout(LIMIT, llm.list_providers()).await.expect("an answer in time");
    Ok(listed?.into_keys().next().expect("a name"))
}

/// Begins a turn; the name of the replica that streams it.
async fn begins(llm: &GrpcLlm) -> (String, Chunks) {
    let mut chunks = llm.generate(request()).await.expect("a stream");
    match timeout(LIMIT, chunks.next()).await.expect("a chunk in time") {
        Some(Ok(Chunk::Text(name))) => (name, chunks),
        other => panic!("{other:?}"),
    }
}

/// Calls until a replica answers, or no longer does.
async fn until(llm: &GrpcLlm, name: &str, answers: bool) {
    let reached = async {
        let mut in_a_row = 0;
        while in_a_row < 6 {
            let is_it = asks(llm).await.is_ok_and(|answered| answered == name);
            if answers && is_it {
                return;
            }
            in_a_row = if is_it || answers { 0 } else { in_a_row + 1 };
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, reached).await.expect("a change in time");
}

#[tokio::test]
async fn turns_are_spread_evenly_over_the_replicas() {
    let all = ["a", "b", "c"].map(Played::start);
    let llm = client_of(&all.each_ref().map(Played::address));
    // Connections that are not open yet get no calls.
    for one in &all {
        until(&llm, one.name(), true).await;
    }
    let mut turns = Vec::new();
    for _ in 0..9 {
        turns.push(begins(&llm).await);
    }
    for one in &all {
        assert_eq!(turns.iter().filter(|(name, _)| name == one.name()).count(), 3);
    }
}

#[tokio::test]
async fn turns_are_spread_evenly_over_the_workers_of_one_port() {
    let first = Played::start_worker("a", 2, any_port());
    let second = Played::start_worker("b", 2, first.address());
    let llm = client_of(&[first.address()]);
    for one in [&first, &second] {
        until(&llm, one.name(), true).await;
    }
    let mut turns = Vec::new();
    for _ in 0..10 {
        turns.push(begins(&llm).await);
    }
    assert_eq!(turns.iter().filter(|(name, _)| name == "a").count(), 5);
}

#[tokio::test]
async fn a_killed_replica_gets_no_calls_until_it_is_back() {
    let (a, b, llm) = two().await;
    let address = a.address();
    a.kill().await;
    for _ in 0..20 {
        assert_eq!(asks(&llm).await.unwrap(), b.name(), "no call fails");
    }
    let _back = Played::start_at("a", address);
    until(&llm, "a", true).await;
}

#[tokio::test]
async fn a_turn_that_was_not_answered_moves_to_another_replica() {
    let (a, b, llm) = two().await;
    a.set_answers(false);
    b.set_answers(false);
    let mut turn = Box::pin(begins(&llm));
    let (asked, other) = tokio::select! {
        () = a.asked() => (a, b),
        () = b.asked() => (b, a),
        _ = &mut turn => panic!("nobody answers yet"),
    };
    asked.kill().await;
    other.set_answers(true);
    assert_eq!(turn.await.0, other.name());
}

#[tokio::test]
async fn a_turn_that_was_cut_fails_and_the_next_one_goes_to_another_replica() {
    let (a, b, llm) = two().await;
    let (name, mut chunks) = begins(&llm).await;
    let (cut, other) = if name == "a" { (a, b) } else { (b, a) };
    cut.kill().await;
    let failed = timeout(LIMIT, chunks.next()).await.expect("an end in time");
    assert!(matches!(failed, Some(Err(Error::Transport(_)))), "{failed:?}");
    assert_eq!(begins(&llm).await.0, other.name());
}

#[tokio::test]
async fn a_full_replica_is_passed_over_and_two_of_them_are_a_rate_limit() {
    let (a, b, llm) = two().await;
    a.set_full(true);
    for _ in 0..4 {
        assert_eq!(begins(&llm).await.0, "b");
    }
    b.set_full(true);
    let refused = llm.generate(request()).await.err().expect("a refusal");
    assert!(refused.retry_after().is_some(), "{refused}");
    b.set_full(false);
    assert_eq!(begins(&llm).await.0, "b", "a full replica is not left out");
}

#[tokio::test]
async fn a_replica_that_is_stopping_is_left_out_until_it_serves() {
    let (a, b, llm) = two().await;
    a.set_serves(false);
    until(&llm, "a", false).await;
    assert_eq!(asks(&llm).await.unwrap(), b.name());
    a.set_serves(true);
    until(&llm, "a", true).await;
}

#[tokio::test]
async fn with_every_replica_out_calls_fail_and_the_first_one_back_is_used_at_once() {
    let (a, b, llm) = two().await;
    let address = a.address();
    a.kill().await;
    b.kill().await;
    for _ in 0..3 {
        let failed = asks(&llm).await;
        assert!(matches!(failed, Err(Error::Transport(_))), "{failed:?}");
    }
    let _back = Played::start_at("a", address);
    assert_eq!(asks(&llm).await.unwrap(), "a", "no pause is waited for");
}

#[tokio::test]
async fn who_accepts_and_never_answers_gets_no_call() {
    let mute = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let mute = mute.local_addr().map(|address| (address, mute)).unwrap();
    let alone = client_of(&[mute.0]);
    let failed = asks(&alone).await;
    assert!(matches!(failed, Err(Error::Transport(_))), "{failed:?}");
    let a = Played::start("a");
    let llm = client_of(&[mute.0, a.address()]);
    for _ in 0..10 {
        assert_eq!(asks(&llm).await.unwrap(), "a");
    }
}

#[tokio::test]
async fn a_name_is_looked_up_again_and_turns_on_addresses_that_are_gone_end() {
    let (a, b) = (Played::start("a"), Played::start("b"));
    let addresses = Arc::new(Mutex::new(Ok(vec![a.address()])));
    let found = Arc::clone(&addresses);
    let resolver = Resolver::new(move |host, _| {
        assert_eq!(host, "llm-service");
        let found = found.lock().unwrap().clone();
        async move { found.map_err(std::io::Error::other) }.boxed()
    });
    let llm = client(&Endpoint::at("http://llm-service:50051"), resolver);
    let (name, mut turn) = begins(&llm).await;
    assert_eq!(name, "a");
    *addresses.lock().unwrap() = Ok(vec![a.address(), b.address()]);
    until(&llm, "b", true).await;
    *addresses.lock().unwrap() = Ok(vec![b.address()]);
    until(&llm, "a", false).await;
    *addresses.lock().unwrap() = Err("no answer");
    a.end_turns();
    assert!(matches!(turn.next().await, Some(Ok(Chunk::Finish(_)))));
    assert_eq!(asks(&llm).await.unwrap(), "b", "a name that fails keeps its addresses");
}

#[tokio::test]
async fn a_name_that_nobody_knows_is_an_error_at_once() {
    let resolver =
        Resolver::new(|_, _| async { Err(std::io::Error::other("no such name")) }.boxed());
    let llm = client(&Endpoint::at("http://llm-service:50051"), resolver);
    let failed = asks(&llm).await.unwrap_err().to_string();
    assert!(failed.contains("no such name"), "{failed}");
}

#[tokio::test]
async fn a_turn_on_a_replica_that_freezes_fails_after_a_ping() {
    let a = Played::start("a");
    let (address, freeze) = link_to(a.address()).await;
    let llm = client_of(&[address]);
    let (_, mut chunks) = begins(&llm).await;
    freeze.send_replace(true);
    let failed = timeout(LIMIT, chunks.next()).await.expect("an end in time");
    assert!(matches!(failed, Some(Err(Error::Transport(_)))), "{failed:?}");
}

/// Two replicas, and a client that has connections to both.
async fn two() -> (Played, Played, GrpcLlm) {
    let (a, b) = (Played::start("a"), Played::start("b"));
    let llm = client_of(&[a.address(), b.address()]);
    until(&llm, "a", true).await;
    until(&llm, "b", true).await;
    (a, b, llm)
}

fn any_port() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

/// Where a link to a server begins, which carries nothing any more once it is frozen.
#[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
async fn link_to(server: SocketAddr) -> (SocketAddr, watch::Sender<bool>) {
    let listener = TcpListener::bind(any_port()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (freeze, frozen) = watch::channel(false);
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut frozen = frozen.clone();
            tokio::spawn(async move {
                let mut far = TcpStream::connect(server).await.unwrap();
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                    _ = frozen.wait_for(|frozen| *frozen) => {}
                }
                // Both ends stay open.
                std::future::pending::<()>().await;
            });
        }
    });
    (address, freeze)
}
