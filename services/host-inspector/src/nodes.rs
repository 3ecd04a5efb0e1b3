//! The inspectors of the nodes of a cluster: where they are, which one a call is for, and how it gets there.

mod caller;
mod choice;
mod directory;
mod endpoint;
mod finder;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::sync::Mutex;

pub(crate) use self::caller::Caller;
pub(crate) use self::choice::Wanted;
use self::directory::Directory;
use self::endpoint::Endpoint;
use self::finder::Finder;
use crate::options::{NODES, NodesOptions};

/// How long a directory is used. Nodes come and go in minutes.
const MAX_AGE: Duration = Duration::from_mins(1);
/// A directory of this age is not renewed for a name that is not in it: a model may guess names.
const MIN_AGE: Duration = Duration::from_secs(3);
/// How long connecting to an inspector may take.
const CONNECT: Duration = Duration::from_secs(2);

/// The nodes, as far as they are known.
pub(crate) struct Nodes {
    finder: Finder,
    /// Locked during a lookup, so that calls at the same time share it.
    known: Mutex<Option<Arc<Directory>>>,
    pub(crate) caller: Caller,
}

impl Nodes {
    /// Checks the options. Nothing is looked up yet.
    pub(crate) fn new(options: &NodesOptions) -> anyhow::Result<Self> {
        let endpoint = |text: &String| Endpoint::parse(text).with_context(|| NODES.to_owned());
        let endpoints = options.urls.iter().map(endpoint).collect::<anyhow::Result<Vec<_>>>()?;
        // The token goes to the configured addresses alone: not to where they redirect, nor through a proxy.
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .user_agent(concat!("tarsy-host-inspector/", env!("CARGO_PKG_VERSION")))
            .build()
            .context("no HTTP client can be made")?;
        let token = options.token.clone();
        Ok(Self {
            finder: Finder { endpoints, client: client.clone(), token: token.clone() },
            known: Mutex::new(None),
            caller: Caller { client, token },
        })
    }

    /// The directory, looked up again if it is a minute old.
    pub(crate) async fn directory(&self) -> Arc<Directory> {
        let mut known = self.known.lock().await;
        if let Some(directory) = known.as_ref().filter(|directory| directory.age() < MAX_AGE) {
            return Arc::clone(directory);
        }
        Arc::clone(known.insert(Arc::new(self.finder.find().await)))
    }

    /// A directory after one in which a node is missing; the same one if it was looked up just now.
    pub(crate) async fn renewed(&self, old: &Arc<Directory>) -> Arc<Directory> {
        if old.age() < MIN_AGE { Arc::clone(old) } else { self.after(old).await }
    }

    /// A directory that was looked up after this one, of which an address does not answer any more.
    pub(crate) async fn after(&self, old: &Arc<Directory>) -> Arc<Directory> {
        let mut known = self.known.lock().await;
        if let Some(newer) = known.as_ref().filter(|known| !Arc::ptr_eq(known, old)) {
            return Arc::clone(newer);
        }
        Arc::clone(known.insert(Arc::new(self.finder.find().await)))
    }
}
