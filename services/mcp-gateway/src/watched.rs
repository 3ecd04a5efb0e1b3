//! The sessions through which the leader watches subprocess servers: one for each, open as long as it
//! answers. A server is asked in the session that it has, because starting it each time costs seconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use tarsy_catalog::Endpoint;
use tarsy_contracts::mcp::Tool;

use crate::failure::Failure;
use crate::servers::ServerRuntime;
use crate::upstream::Session;

#[derive(Clone, Default)]
pub(crate) struct WatchedSessions {
    sessions: Arc<Mutex<HashMap<String, Arc<Session>>>>,
}

impl WatchedSessions {
    /// Whether a server is watched in a lasting session. A session with a remote server costs nothing to open.
    pub(crate) fn covers(runtime: &ServerRuntime) -> bool {
        matches!(runtime.server.transport.endpoint, Endpoint::Stdio(_))
    }

    /// The tools of a server, which it lists within this time in the session that it has, or as it starts.
    pub(crate) async fn check(
        &self,
        runtime: &ServerRuntime,
        within: Duration,
    ) -> Result<Arc<[Tool]>, Failure> {
        let id = runtime.server.id.as_str();
        let known = self.table().remove(id);
        let (session, tools) = match known {
            Some(session) if !session.is_lost() => match session.probe(within).await {
                Ok(tools) => (session, tools),
                Err(failure) => {
                    session.close().await;
                    return Err(failure);
                }
            },
            lost => {
                if let Some(lost) = lost {
                    lost.close().await;
                }
                let started = runtime.connector.connect().await?;
                let tools = started.tools();
                (Arc::new(started), tools)
            }
        };
        self.table().insert(id.to_owned(), session);
        Ok(tools)
    }

    pub(crate) async fn close(&self) {
        let sessions = std::mem::take(&mut *self.table());
        join_all(sessions.values().map(|session| session.close())).await;
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
