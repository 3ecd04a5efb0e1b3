//! Streaming replicas.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{Postgres, PostgresOptions, reachable};
use crate::Error;
use crate::child::Server;
use crate::{files, free_port};

impl Postgres {
    /// Starts a copy of this server that follows it, and takes no writes until it is promoted (`pg_promote`).
    ///
    /// To let a commit wait for the copy, the caller sets `synchronous_standby_names` here and `synchronous_commit` of the
    /// database or the role, which count more than the `synchronous_commit=off` of a server that is not durable.
    pub async fn replicate(&self, options: PostgresOptions) -> Result<Self, Error> {
        let (bin, folder) = reachable(options.bin, options.folder, options.temporary)?;
        // Roles and their passwords are copied, too.
        let secret = folder.join("password");
        let prepare = |source| Error::Prepare { path: secret.clone(), source };
        fs::write(&secret, &self.password).map_err(prepare)?;
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).map_err(prepare)?;
        let mut replica = Self {
            bin,
            folder,
            durable: options.durable,
            temporary: options.temporary,
            port: 0,
            password: self.password.clone(),
            server: Server::none(super::STOP_TIMEOUT),
        };
        replica.copy(self.port).await?;
        replica.port = match options.port {
            Some(port) => port,
            None => free_port()?,
        };
        replica.launch().await?;
        Ok(replica)
    }

    /// Copies the data of the server at this port, and notes where to follow it.
    async fn copy(&self, port: u16) -> Result<(), Error> {
        let mut command = self.program("pg_basebackup");
        command
            .args(["-h", "127.0.0.1", "-U", "postgres", "-p", &port.to_string()])
            .args(["-R", "-X", "stream", "-c", "fast", "-D"])
            .arg(self.data())
            .env("PGPASSWORD", &self.password);
        if !self.durable {
            command.arg("--no-sync");
        }
        if let Some((uid, gid)) = files::unprivileged() {
            command.uid(uid).gid(gid);
        }
        self.finish("pg_basebackup", command).await
    }
}
