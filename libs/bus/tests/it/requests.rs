use std::time::Duration;

use tarsy_bus::{Bus, Error};
use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::{Code, Coded as _};
use tarsy_testkit::TestNats;
use tokio_util::sync::CancellationToken;

/// Longer than an answer takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

async fn double(number: u64) -> Result<u64, Refusal> {
    match number {
        0 => Err(Refusal::new(Code::NotFound, "nothing to double")),
        1 => std::future::pending().await,
        2 => Ok(4),
        other => Ok(other * 2),
    }
}

/// Runs a scenario beside a responder on `subject`.
async fn with_responder<F>(bus: &Bus, subject: &'static str, capacity: usize, scenario: F)
where
    F: AsyncFnOnce(),
{
    let stop = CancellationToken::new();
    let serve = bus.respond(subject, Some("doublers"), capacity, stop.clone(), double);
    let scenario = async {
        // The responder listens once a request gets an answer.
        while bus.request::<u64, u64>(subject.to_owned(), &2, TIMEOUT).await.is_err() {
            tokio::task::yield_now().await;
        }
        scenario().await;
    };
    tokio::select! {
        () = scenario => {}
        result = serve => panic!("the responder ended: {result:?}"),
    }
}

#[tokio::test]
async fn a_request_is_answered_or_refused_with_a_code() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    with_responder(&bus, "test.double", 8, async || {
        let subject = "test.double".to_owned();
        let answer: u64 = bus.request(subject.clone(), &21_u64, TIMEOUT).await.unwrap();
        assert_eq!(answer, 42);
        let refused = bus.request::<u64, u64>(subject.clone(), &0, TIMEOUT).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        let shapeless = bus.request::<_, u64>(subject, &"text", TIMEOUT).await.unwrap_err();
        assert_eq!(shapeless.code(), Code::Invalid);
    })
    .await;
    Ok(())
}

#[tokio::test]
async fn a_full_responder_refuses_and_a_slow_one_times_out() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    with_responder(&bus, "test.full", 1, async || {
        let subject = "test.full".to_owned();
        let slow = bus
            .request::<u64, u64>(subject.clone(), &1, Duration::from_millis(300))
            .await
            .unwrap_err();
        assert_eq!(slow.code(), Code::Timeout);
        let busy = bus.request::<u64, u64>(subject, &3, TIMEOUT).await.unwrap_err();
        assert_eq!(busy.code(), Code::RateLimited);
    })
    .await;
    Ok(())
}

#[tokio::test]
async fn a_request_to_nobody_fails_at_once() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    let error = bus.request::<u64, u64>("test.nobody".to_owned(), &1, TIMEOUT).await.unwrap_err();
    assert!(matches!(error, Error::NoResponders { .. }), "{error}");
    Ok(())
}

#[tokio::test]
async fn an_answer_too_large_becomes_a_small_refusal() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    let stop = CancellationToken::new();
    let huge = |size: usize| async move { Ok::<_, Refusal>("x".repeat(size)) };
    let serve = bus.respond("test.huge", None, 8, stop.clone(), huge);
    let scenario = async {
        while bus.request::<usize, String>("test.huge".to_owned(), &1, TIMEOUT).await.is_err() {
            tokio::task::yield_now().await;
        }
        bus.request::<usize, String>("test.huge".to_owned(), &2_000_000, TIMEOUT).await
    };
    tokio::select! {
        answer = scenario => assert_eq!(answer.unwrap_err().code(), Code::Internal),
        result = serve => panic!("the responder ended: {result:?}"),
    }
    Ok(())
}

#[tokio::test]
async fn all_responders_are_received_and_missing_ones_are_not_waited_for() -> anyhow::Result<()> {
    let nats = TestNats::start().await?;
    let bus = nats.connect("test", "one").await?;
    let subject = || "test.all".to_owned();
    let nobody: Vec<u64> = bus.request_many(subject(), &21_u64, 3, TIMEOUT).await.unwrap();
    assert!(nobody.is_empty());
    let stop = CancellationToken::new();
    let first = bus.respond(subject(), None, 8, stop.clone(), double);
    let second = bus.respond(subject(), None, 8, stop.clone(), async |number: u64| Ok(number * 3));
    let scenario = async {
        loop {
            let mut received: Vec<u64> =
                bus.request_many(subject(), &21_u64, 2, TIMEOUT).await.unwrap();
            received.sort_unstable();
            if received == [42, 63] {
                break;
            }
        }
        // One refuses, and the other is all there is: the rest of the time is waited out.
        let short = Duration::from_secs(2);
        let one: Vec<u64> = bus.request_many(subject(), &0_u64, 2, short).await.unwrap();
        assert_eq!(one, [0]);
    };
    tokio::select! {
        () = scenario => {}
        result = first => panic!("a responder ended: {result:?}"),
        result = second => panic!("a responder ended: {result:?}"),
    }
    Ok(())
}
