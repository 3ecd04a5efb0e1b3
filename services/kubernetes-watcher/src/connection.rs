//! The client of the cluster: each of its waits has a bound.

use std::time::Duration;

use anyhow::Context as _;
use kube::runtime::watcher;
use kube::{Client, Config};

/// How long the API server keeps a watch; then the next one goes on from its last version. A connection that is lost without a
/// word is noticed five seconds later, by the library.
const WATCH_SECONDS: u32 = 60;
/// How long nothing may be read while an answer is waited for: longer than a watch without an event. Lists have no other bound.
const READ: Duration = Duration::from_secs(75);

/// The client of a cluster.
pub(crate) fn client(config: Config) -> anyhow::Result<Client> {
    bounded(config, READ)
}

fn bounded(mut config: Config, read: Duration) -> anyhow::Result<Client> {
    config.read_timeout = Some(read);
    // The time that a connection was idle is not part of it.
    config.reset_reader_on_write = true;
    // The library would send a request again up to 15 times, after pauses of minutes or what the answer asks for, and report nothing
    // meanwhile. The watches begin again by themselves, at most a minute later.
    config.default_retry = false;
    Client::try_from(config).context("the cluster's client is not valid")
}

/// What all watches have in common.
pub(crate) fn watch_config(page: u32) -> watcher::Config {
    watcher::Config::default().timeout(WATCH_SECONDS).page_size(page)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Event;
    use kube::Api;
    use kube::api::ListParams;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// The error of a list by a server that answers each connection with this text, and keeps it open.
    async fn refused(answer: &'static str) -> kube::Error {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = async {
            let mut open = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 1024];
                assert!(stream.read(&mut request).await.unwrap() > 0);
                stream.write_all(answer.as_bytes()).await.unwrap();
                open.push(stream);
            }
        };
        let config = Config::new(url.parse().unwrap());
        let client = bounded(config, Duration::from_millis(200)).unwrap();
        let events: Api<Event> = Api::all(client);
        let all = ListParams::default();
        let listed = tokio::time::timeout(Duration::from_secs(20), events.list(&all));
        tokio::select! {
            () = served => unreachable!("it serves until the end"),
            listed = listed => listed.expect("the list has an end").unwrap_err(),
        }
    }

    #[tokio::test]
    async fn a_server_without_an_answer_is_not_waited_for() {
        let error = refused("").await;
        assert!(matches!(error, kube::Error::HyperError(_) | kube::Error::Service(_)), "{error:?}");
    }

    #[tokio::test]
    async fn an_answer_that_stops_in_the_middle_is_not_waited_for() {
        refused("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"items\":[").await;
    }

    #[tokio::test]
    async fn a_pause_that_the_server_asks_for_is_not_taken_without_a_word() {
        let error = refused(
            "HTTP/1.1 503 Service Unavailable\r\nretry-after: 86400\r\ncontent-length: 0\r\n\r\n",
        )
        .await;
        assert!(matches!(&error, kube::Error::Api(status) if status.code == 503), "{error:?}");
    }
}
