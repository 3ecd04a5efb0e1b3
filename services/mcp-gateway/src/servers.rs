//! The configured servers, with what is needed to open sessions with them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use futures::future::join_all;
use tarsy_catalog::{Endpoint, Isolation, McpServer};
use tarsy_domain::id::ExecutionId;
use tokio_util::task::TaskTracker;

use crate::host_inspector::is_host_inspector;
use crate::masks::Masks;
use crate::sessions::{self, of_execution};
use crate::upstream::{Connector, Context, Slot, Spares};

pub(crate) struct ServerRuntime {
    pub(crate) server: Arc<McpServer>,
    pub(crate) masks: Arc<Masks>,
    pub(crate) connector: Connector,
    /// The session of all leases, where the server is configured as shared.
    pub(crate) shared: Option<Arc<Slot>>,
    /// The session of all leases, once a server with `isolation: auto` turned out to be stateless.
    pub(crate) stateless: OnceLock<Arc<Slot>>,
    pub(crate) spares: Option<Arc<Spares>>,
}

impl ServerRuntime {
    fn new(server: &McpServer, context: &Arc<Context>, tasks: &TaskTracker, spares: usize) -> Self {
        let server = Arc::new(server.clone());
        let connector = Connector {
            server: Arc::clone(&server),
            context: Arc::clone(context),
            tasks: tasks.clone(),
        };
        let is_shared = server.transport.isolation == Isolation::Shared;
        let shared = (is_shared && !sessions::is_per_execution(&server))
            .then(|| Arc::new(Slot::new(connector.clone(), None)));
        let has_spares = shared.is_none()
            && spares > 0
            && matches!(server.transport.endpoint, Endpoint::Stdio(_));
        Self {
            masks: context.masks(&server.id),
            spares: has_spares.then(|| Spares::start(connector.clone(), spares)),
            connector: Connector { server: sessions::of_nobody(&server), ..connector },
            server,
            shared,
            stateless: OnceLock::new(),
        }
    }

    /// The session that all leases share, if there is one.
    pub(crate) fn common_slot(&self) -> Option<Arc<Slot>> {
        self.shared.as_ref().or_else(|| self.stateless.get()).map(Arc::clone)
    }

    /// Whether somebody set it up. A server that comes with TARSy and reads variables of the environment, as that of
    /// Kubernetes does, is not before one of them is set. The host inspector needs none.
    pub(crate) fn is_set_up(&self) -> bool {
        let Endpoint::Stdio(program) = &self.server.transport.endpoint else { return true };
        let mut needed = program.inherit_env.iter();
        !self.server.builtin
            || is_host_inspector(&self.server)
            || program.inherit_env.is_empty()
            || needed.any(|name| self.connector.context.has_variable(name))
    }

    /// A slot of one execution of an agent. A server whose requests name the execution has a session for each.
    pub(crate) fn new_slot(&self, execution: ExecutionId) -> Arc<Slot> {
        let server = of_execution(&self.server, execution);
        let connector = Connector { server, ..self.connector.clone() };
        Arc::new(Slot::new(connector, self.spares.clone()))
    }
}

/// All configured servers by their ids.
pub(crate) struct Servers {
    by_id: BTreeMap<String, ServerRuntime>,
    context: Arc<Context>,
}

impl Servers {
    /// Starts to open `spares` unused sessions for each subprocess server that is in use.
    pub(crate) fn start(
        servers: &BTreeMap<String, McpServer>,
        context: Arc<Context>,
        tasks: &TaskTracker,
        spares: usize,
    ) -> Self {
        let runtime = |server| ServerRuntime::new(server, &context, tasks, spares);
        let by_id = servers.iter().map(|(id, server)| (id.clone(), runtime(server))).collect();
        Self { by_id, context }
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(crate) fn get(&self, id: &str) -> Option<&ServerRuntime> {
        self.by_id.get(id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ServerRuntime> {
        self.by_id.values()
    }

    /// The ids of all servers for an error message.
    pub(crate) fn known_ids(&self) -> String {
        self.by_id.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// Closes all sessions that belong to no lease.
    pub(crate) async fn close(&self) {
        join_all(
            self.iter()
                .filter_map(ServerRuntime::common_slot)
                .map(async |slot: Arc<Slot>| slot.close().await),
        )
        .await;
        let spares = self.iter().filter_map(|runtime| runtime.spares.as_ref());
        join_all(spares.map(|spares| spares.close())).await;
    }
}
