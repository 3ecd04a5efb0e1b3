//! Fetching and listing runbooks.

use std::sync::Arc;

use tarsy_outbound::Proxies;

use crate::address::{self, Address};
use crate::cache::Cache;
use crate::error::Error;
use crate::fetch::Fetcher;
use crate::rules::Rules;
use crate::{folder, github};

/// The most bytes of a runbook.
const MAX_BYTES: usize = 1024 * 1024;
const ACCEPT: &str = "text/plain, text/markdown, */*;q=0.1";

/// Runbooks by their addresses; cheap to clone.
#[derive(Clone, Debug)]
pub struct Runbooks {
    rules: Arc<Rules>,
    fetcher: Fetcher,
    texts: Arc<Cache<String>>,
    lists: Arc<Cache<Vec<String>>>,
}

impl Runbooks {
    /// Prepares the client; asks nothing yet.
    pub fn new(rules: Rules) -> Result<Self, Error> {
        let rules = Arc::new(rules);
        Ok(Self {
            fetcher: Fetcher::new(Arc::clone(&rules), &Proxies::of_environment())?,
            texts: Arc::new(Cache::new(rules.cache_ttl)),
            lists: Arc::new(Cache::new(rules.cache_ttl)),
            rules,
        })
    }

    /// Whether the repository that is listed is at GitHub, and there is no token for it.
    pub fn lacks_token(&self) -> bool {
        self.rules.lacks_token()
    }

    /// The text at an address. It is looked at again: rules may have changed since it was taken in.
    pub async fn fetch(&self, address: &str) -> Result<String, Error> {
        let url = match self.rules.address(address)? {
            Address::File(file) => {
                let folder = self.rules.folder.as_deref().ok_or(Error::NoSuchFile)?;
                return folder::read(folder, &file, MAX_BYTES).await;
            }
            Address::Remote(url) => address::raw(&url, &self.rules.github_raw),
        };
        if let Some(text) = self.texts.get(url.as_str()) {
            return Ok(text.as_ref().clone());
        }
        let text = self.fetcher.text(url.clone(), ACCEPT, MAX_BYTES).await?;
        self.texts.put(url.as_str(), Arc::new(text.clone()));
        Ok(text)
    }

    /// The addresses of the runbooks that are known; what cannot be listed is left out and logged.
    pub async fn list(&self) -> Vec<String> {
        let mut all = match &self.rules.folder {
            Some(folder) => folder::list(folder).await,
            None => Vec::new(),
        };
        match self.repository().await {
            Ok(pages) => all.extend(pages.iter().cloned()),
            Err(error) => {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "the runbooks of system.runbooks.repo_url are not listed");
            }
        }
        all
    }

    async fn repository(&self) -> Result<Arc<Vec<String>>, Error> {
        let Some(url) = &self.rules.repo_url else { return Ok(Arc::default()) };
        if let Some(pages) = self.lists.get(url.as_str()) {
            return Ok(pages);
        }
        let repository = address::repository(url).ok_or(Error::NoRepository)?;
        let whole = github::list(&self.fetcher, &self.rules.github_api, &repository);
        let pages = tokio::time::timeout(self.rules.deadline, whole).await;
        let late = Error::Timeout { seconds: self.rules.deadline.as_secs() };
        let pages = Arc::new(pages.unwrap_or(Err(late))?);
        self.lists.put(url.as_str(), Arc::clone(&pages));
        Ok(pages)
    }
}
