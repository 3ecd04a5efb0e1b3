//! How a request is sent.

use reqwest::{Method, RequestBuilder, Response};
use tarsy_outbound::{Obstacle, obstacle};

/// Sends a request. One that only reads is sent once more if its connection was closed instead of an answer, as the last
/// ones of a gateway that another one replaces are.
pub(super) async fn send(request: RequestBuilder) -> reqwest::Result<Response> {
    let (http, request) = request.build_split();
    let request = request?;
    let again = if request.method() == Method::GET { request.try_clone() } else { None };
    match (http.execute(request).await, again) {
        (Err(error), Some(again)) if obstacle(&error) == Some(Obstacle::Closed) => {
            http.execute(again).await
        }
        (outcome, _) => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address of a server that closes its first connection once a request has come, and answers on the second one.
    fn closes_once() -> std::net::SocketAddr {
        use std::io::{Read as _, Write as _};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut request = [0; 1024];
            let (mut first, _) = listener.accept().unwrap();
            assert!(first.read(&mut request).unwrap() > 0);
            drop(first);
            let (mut second, _) = listener.accept().unwrap();
            assert!(second.read(&mut request).unwrap() > 0);
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull";
            second.write_all(answer.as_bytes()).unwrap();
        });
        address
    }

    #[tokio::test]
    async fn what_only_reads_is_sent_again_when_its_connection_was_closed() {
        let http = reqwest::Client::new();
        let address = closes_once();
        let read = send(http.get(format!("http://{address}"))).await.unwrap();
        assert_eq!(read.text().await.unwrap(), "null");
        let address = closes_once();
        let changed = send(http.post(format!("http://{address}"))).await.unwrap_err();
        assert_eq!(obstacle(&changed), Some(Obstacle::Closed));
    }
}
