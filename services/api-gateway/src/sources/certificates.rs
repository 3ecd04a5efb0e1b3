//! What is fetched from the hosts of Amazon SNS: certificates of signatures, and the confirmation of a subscription. The
//! library of intake allows only addresses of these hosts.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use moka::future::Cache;
use reqwest::Client;
use reqwest::redirect::Policy;
use tarsy_domain::code::Code;
use tarsy_outbound::{AUTHORITIES, Proxies, describe};
use tarsy_web::Problem;
use tokio::sync::Semaphore;
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(10);
/// A certificate has some kilobytes.
const MAX_BODY: usize = 64 * 1024;
const MAX_CERTIFICATES: u64 = 100;
const TTL: Duration = Duration::from_hours(1);
/// How many addresses are fetched at the same time: whoever sends messages needs no secret to name one.
const FETCHES: usize = 4;

/// The certificates that were fetched; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Certificates {
    client: Client,
    fetched: Cache<Url, Vec<u8>>,
    fetching: Arc<Semaphore>,
}

impl Certificates {
    pub(crate) fn new() -> reqwest::Result<Self> {
        let client = Proxies::of_environment()
            .apply(Client::builder())
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .https_only(true)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build()?;
        let fetched = Cache::builder().max_capacity(MAX_CERTIFICATES).time_to_live(TTL).build();
        Ok(Self { client, fetched, fetching: Arc::new(Semaphore::new(FETCHES)) })
    }

    /// The certificate at an address; requests at the same time share one fetch.
    pub(super) async fn get(&self, url: &Url) -> Result<Vec<u8>, Problem> {
        let fetch = self.fetch(url.clone());
        self.fetched.try_get_with(url.clone(), fetch).await.map_err(|error| {
            let error = describe((*error).as_ref(), AUTHORITIES);
            tracing::warn!(error, "a certificate of SNS could not be fetched");
            unavailable("the certificate of the signature could not be fetched")
        })
    }

    /// Opens the address that confirms a subscription.
    pub(super) async fn confirm(&self, url: &Url) -> Result<(), Problem> {
        self.fetch(url.clone()).await.map(drop).map_err(|error| {
            let error = describe(error.as_ref(), AUTHORITIES);
            tracing::warn!(error, "a subscription of SNS could not be confirmed");
            unavailable("the subscription could not be confirmed")
        })
    }

    /// While too many are fetched, another one is refused at once: SNS sends its message again.
    async fn fetch(&self, url: Url) -> anyhow::Result<Vec<u8>> {
        let _permit = self.fetching.try_acquire().context("too many are fetched now")?;
        let mut response = self.client.get(url).send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            anyhow::ensure!(body.len() + chunk.len() <= MAX_BODY, "more than {MAX_BODY} bytes");
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

fn unavailable(what: &str) -> Problem {
    Problem::new(Code::Unavailable, format!("{what}; send the message again later"))
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use http::StatusCode;

    use super::*;

    #[tokio::test]
    async fn few_certificates_are_fetched_at_the_same_time_and_a_fetched_one_is_there_all_along() {
        let certificates = Certificates::new().unwrap();
        let at = |number: usize| {
            let path = format!("SimpleNotificationService-{number}.pem");
            Url::parse(&format!("https://sns.eu-west-1.amazonaws.com/{path}")).unwrap()
        };
        certificates.fetched.insert(at(0), b"pem".to_vec()).await;
        let fetching = Arc::clone(&certificates.fetching);
        let _held = fetching.try_acquire_many(u32::try_from(FETCHES).unwrap()).unwrap();
        let refused = certificates.get(&at(1)).await.unwrap_err();
        assert_eq!(refused.into_response().status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(certificates.confirm(&at(2)).await.is_err());
        assert_eq!(certificates.get(&at(0)).await.unwrap(), b"pem");
    }
}
