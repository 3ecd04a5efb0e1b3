//! What each user may do on a server with the accounts that are deployed, and what it may not.

use std::time::Duration;

use bytes::Bytes;
use tarsy_bus::{Bus, DurableMessage, Error, WakeUp};
use tarsy_contracts::permissions::{BusUser, Credential, USERS, accounts};
use tarsy_contracts::status::STORAGE_WARNING;
use tarsy_contracts::{subject, topology};
use tarsy_domain::id::SessionId;
use tarsy_testkit::{TestNats, connect_bus};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A server where the password of each user is `{user}-password`.
async fn server() -> anyhow::Result<TestNats> {
    TestNats::with_access(accounts(|user| Credential::Password(format!("\"{user}-password\""))))
        .await
}

pub(crate) async fn bus_of(nats: &mut TestNats, user: &'static str) -> anyhow::Result<Bus> {
    let url = nats.server()?.url_of(user, &format!("{user}-password"));
    connect_bus(&url, user, "one").await
}

/// A server with everything that services need.
pub(crate) async fn provisioned() -> anyhow::Result<TestNats> {
    let mut nats = server().await?;
    bus_of(&mut nats, "provisioner").await?.provision().await?;
    Ok(nats)
}

/// A client of the bare protocol: it learns what is refused at once.
struct Client(BufReader<TcpStream>);

impl Client {
    async fn connect(nats: &mut TestNats, user: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", nats.server()?.port())).await?;
        let mut client = Self(BufReader::new(stream));
        let hello = format!(
            "CONNECT {{\"verbose\":false,\"headers\":true,\"user\":\"{user}\",\"pass\":\"{user}-password\"}}"
        );
        let refusals = client.send(&hello).await?;
        anyhow::ensure!(refusals.is_empty(), "{user}: {refusals:?}");
        Ok(client)
    }

    /// Sends a command; returns the errors that the server reports until it has processed it.
    async fn send(&mut self, command: &str) -> anyhow::Result<Vec<String>> {
        self.0.write_all(format!("{command}\r\nPING\r\n").as_bytes()).await?;
        let mut errors = Vec::new();
        loop {
            let mut line = String::new();
            anyhow::ensure!(
                self.0.read_line(&mut line).await? > 0,
                "the server closed: {errors:?}"
            );
            match line.trim_end() {
                "PONG" => return Ok(errors),
                error if error.starts_with("-ERR") => errors.push(error.to_owned()),
                _ => {}
            }
        }
    }

    async fn may_publish(&mut self, subject: &str) -> anyhow::Result<bool> {
        Ok(self.send(&format!("PUB {subject} 0\r\n")).await?.is_empty())
    }

    /// `subject` may be followed by a queue group.
    async fn may_subscribe(&mut self, subject: &str) -> anyhow::Result<bool> {
        Ok(self.send(&format!("SUB {subject} 7")).await?.is_empty())
    }
}

/// A subject without wildcards that a pattern covers.
fn example(pattern: &str) -> String {
    pattern.replace('*', "one").replace('>', "one.two")
}

fn all(subjects: impl Fn(&BusUser) -> Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = USERS.iter().flat_map(subjects).collect();
    all.sort();
    all.dedup();
    all
}

#[tokio::test]
async fn each_user_publishes_and_subscribes_what_its_entry_allows_and_nothing_else()
-> anyhow::Result<()> {
    let mut nats = server().await?;
    let (published, subscribed) = (all(BusUser::may_publish), all(BusUser::may_subscribe));
    for user in USERS {
        let mut client = Client::connect(&mut nats, user.name).await?;
        let allowed = user.may_publish();
        for pattern in &published {
            let subject = example(pattern);
            let expected = allowed.iter().any(|one| subject::covers(one, &subject));
            assert_eq!(client.may_publish(&subject).await?, expected, "{} {subject}", user.name);
        }
        let allowed = user.may_subscribe();
        for pattern in &subscribed {
            let expected = allowed.iter().any(|one| covers_with_queue(one, pattern));
            assert_eq!(client.may_subscribe(pattern).await?, expected, "{} {pattern}", user.name);
        }
    }
    Ok(())
}

/// A permission without a group covers members of every group.
fn covers_with_queue(permission: &str, asked: &str) -> bool {
    let (subject, group) = asked.split_once(' ').unwrap_or((asked, ""));
    match permission.split_once(' ') {
        Some((pattern, of)) => of == group && subject::covers(pattern, subject),
        None => subject::covers(permission, subject),
    }
}

/// What would take over the work of others, or the server's.
const CHANGES: [&str; 19] = [
    "$JS.API.STREAM.CREATE.MINE",
    "$JS.API.STREAM.CREATE.TARSY_WORK",
    "$JS.API.STREAM.UPDATE.TARSY_WORK",
    "$JS.API.STREAM.DELETE.TARSY_EVENTS",
    "$JS.API.STREAM.PURGE.TARSY_EVENTS",
    "$JS.API.STREAM.PURGE.TARSY_WORK",
    "$JS.API.STREAM.PURGE.TARSY_INTAKE",
    "$JS.API.STREAM.PURGE.KV_tarsy_instances",
    "$JS.API.STREAM.MSG.GET.TARSY_INTAKE",
    "$JS.API.STREAM.MSG.DELETE.TARSY_INTAKE",
    "$JS.API.STREAM.SNAPSHOT.TARSY_INTAKE",
    "$JS.API.STREAM.RESTORE.MINE",
    "$JS.API.STREAM.NAMES",
    "$JS.API.CONSUMER.CREATE.TARSY_EVENTS",
    "$JS.API.CONSUMER.CREATE.TARSY_EVENTS.mine.tarsy.events.session.*.*",
    "$JS.API.CONSUMER.DURABLE.CREATE.TARSY_EVENTS.mine",
    "$JS.API.CONSUMER.DELETE.TARSY_WORK.orchestrator-session",
    "$JS.API.CONSUMER.PAUSE.TARSY_WORK.orchestrator-session",
    "$SYS.REQ.SERVER.PING",
];

const EAVESDROPPING: [&str; 9] =
    [">", "*.>", "tarsy.>", "tarsy.mcp.>", "$JS.>", "$KV.>", "$O.>", "_INBOX.>", "$SYS.>"];

#[tokio::test]
async fn no_service_takes_over_what_belongs_to_another_or_to_the_server() -> anyhow::Result<()> {
    let mut nats = provisioned().await?;
    for user in USERS.iter().filter(|user| !user.provisions) {
        let mut client = Client::connect(&mut nats, user.name).await?;
        for subject in CHANGES {
            // What is in that stream is in PostgreSQL: api-gateway removes what a person deleted.
            let removes = user.name == "api-gateway" && subject.ends_with("PURGE.TARSY_EVENTS");
            assert_eq!(client.may_publish(subject).await?, removes, "{} {subject}", user.name);
        }
        for subject in EAVESDROPPING {
            assert!(!client.may_subscribe(subject).await?, "{} {subject}", user.name);
        }
        for other in USERS.iter().filter(|other| other.name != user.name) {
            let inbox = subject::inbox(other.name);
            assert!(!client.may_subscribe(&format!("{inbox}.>")).await?, "{} {inbox}", user.name);
            assert!(!client.may_publish(&format!("{inbox}.1")).await?, "{} {inbox}", user.name);
            let entry = format!("$KV.{}.{}.one", topology::INSTANCES.name, other.name);
            assert!(!client.may_publish(&entry).await?, "{} {entry}", user.name);
            for consumer in other.consumers {
                let next =
                    format!("$JS.API.CONSUMER.MSG.NEXT.{}.{}", consumer.stream, consumer.name);
                assert!(!client.may_publish(&next).await?, "{} {next}", user.name);
            }
        }
    }
    bus_of(&mut nats, "provisioner")
        .await?
        .check(&tarsy_contracts::permissions::PROVISIONER)
        .await?;
    Ok(())
}

/// The attack that an orchestrator could make while every service might administer streams: a stream that keeps what
/// tool gateways are asked, for whoever reads it.
#[tokio::test]
async fn a_stream_over_the_subjects_of_another_service_is_refused() -> anyhow::Result<()> {
    let mut nats = provisioned().await?;
    let config = r#"{"name":"MINE","subjects":["tarsy.mcp.>","_INBOX_api-gateway.>"]}"#;
    let create =
        |config: &str| format!("PUB $JS.API.STREAM.CREATE.MINE {}\r\n{config}", config.len());
    for user in USERS {
        let mut client = Client::connect(&mut nats, user.name).await?;
        let errors = client.send(&create(config)).await?;
        assert!(errors.concat().contains("Permissions Violation"), "{} {errors:?}", user.name);
    }
    Ok(())
}

#[tokio::test]
async fn each_service_does_its_work_with_its_permissions() -> anyhow::Result<()> {
    let mut nats = provisioned().await?;
    for user in &USERS {
        let bus = bus_of(&mut nats, user.name).await?;
        bus.check(user).await?;
        for bucket in user.reads {
            assert!(bus.kv(bucket).entries::<String>().await?.is_empty());
        }
        for (bucket, keys) in
            user.writes.iter().filter(|(bucket, _)| bucket.name != "tarsy_leaders")
        {
            let (kv, key) = (bus.kv(bucket), example(keys));
            kv.put(&key, &user.name).await?;
            assert_eq!(kv.get::<String>(&key).await?.as_deref(), Some(user.name));
            assert!(kv.written_at(&key).await?.is_some());
            kv.delete(&key).await?;
        }
    }
    for (user, job) in [("api-gateway", "system-watch"), ("provisioner", "provisioner")] {
        let leaders = bus_of(&mut nats, user).await?.kv(&topology::LEADERS);
        assert!(leaders.acquire_leadership(job).await? && leaders.acquire_leadership(job).await?);
    }
    Ok(())
}

#[tokio::test]
async fn wake_ups_and_large_payloads_pass_with_the_permissions_of_their_services()
-> anyhow::Result<()> {
    let mut nats = provisioned().await?;
    let (api, orchestrator) =
        (bus_of(&mut nats, "api-gateway").await?, bus_of(&mut nats, "orchestrator").await?);
    api.wake_session_workers(SessionId::new()).await?;
    let wake_ups = orchestrator.wake_ups(&topology::SESSION_WORK);
    assert_eq!(wake_ups.wait(Duration::from_mins(1)).await, WakeUp::Received);
    // It was acknowledged.
    assert_eq!(wake_ups.wait(Duration::from_millis(300)).await, WakeUp::TimedOut);

    let large = Bytes::from(vec![7; 300_000]);
    let result = bus_of(&mut nats, "mcp-gateway")
        .await?
        .blobs(&topology::BLOBS)
        .put(None, large.clone())
        .await?;
    assert_eq!(orchestrator.blobs(&topology::BLOBS).get(&result).await?, large);
    let queued = api.blobs(&topology::INTAKE_BLOBS);
    let id = queued.put(None, large.clone()).await?;
    assert_eq!(queued.get(&id).await?, large);
    queued.delete(&id).await?;
    assert!(queued.get(&id).await.is_err());

    let alert = DurableMessage {
        subject: subject::INTAKE_ALERT.to_owned(),
        message_id: "1".to_owned(),
        payload: Bytes::new(),
    };
    assert!(orchestrator.publish_durable(alert).await.is_err(), "it submits no alerts");
    Ok(())
}

#[tokio::test]
async fn a_service_names_what_is_missing_and_creates_nothing() -> anyhow::Result<()> {
    let mut nats = server().await?;
    for user in USERS.iter().filter(|user| !user.provisions) {
        let missing = bus_of(&mut nats, user.name).await?.check(user).await;
        assert!(matches!(missing, Err(Error::Missing { .. })), "{} {missing:?}", user.name);
        let text = missing.unwrap_err().to_string();
        assert!(text.contains("stream ") && text.contains("tarsy migrate"), "{text}");
    }
    let provisioner = bus_of(&mut nats, "provisioner").await?;
    provisioner.provision().await?;
    let warnings = provisioner.kv(&topology::WARNINGS);
    warnings.put(STORAGE_WARNING, &"full").await?;
    assert_eq!(provisioner.failed_streams().await?, []);
    Ok(())
}
