//! Starts the inspector with a clean environment and calls its tools.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    ProtocolVersion, RequestMetaObject, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::process::Command;

/// A client that announces the newest session-based revision.
pub(crate) struct Caller;

impl ClientHandler for Caller {
    fn get_info(&self) -> ClientConfig {
        let mut config =
            ClientConfig::new(ClientCapabilities::default(), Implementation::new("test", "1"));
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        config
    }
}

pub(crate) struct Inspector {
    service: RunningService<RoleClient, Caller>,
}

pub(crate) struct Answer {
    pub(crate) is_error: bool,
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl Inspector {
    /// Starts it for the logs of a folder.
    pub(crate) async fn start(logs: &Path) -> anyhow::Result<Self> {
        Self::start_in(logs, ClientLifecycleMode::Initialize).await
    }

    /// Starts it in one of the two dialects.
    pub(crate) async fn start_in(logs: &Path, mode: ClientLifecycleMode) -> anyhow::Result<Self> {
        let log_paths = format!("{}/**", logs.display());
        let variables = [
            ("HOST_INSPECTOR_LOG_PATHS", log_paths.as_str()),
            ("HOST_INSPECTOR_HOSTS", "localhost, 127.0.0.1"),
        ];
        Self::start_with(&variables, mode).await
    }

    /// Starts it with these variables.
    pub(crate) async fn start_with(
        variables: &[(&str, &str)],
        mode: ClientLifecycleMode,
    ) -> anyhow::Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tarsy-host-inspector"));
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/")
            .env("LANG", "C.UTF-8")
            .envs(variables.iter().copied());
        let (transport, _) =
            TokioChildProcess::builder(command).stderr(Stdio::inherit()).spawn()?;
        let limit = Duration::from_mins(1);
        let service =
            tokio::time::timeout(limit, Caller.serve_with_lifecycle(transport, mode)).await??;
        Ok(Self { service })
    }

    pub(crate) async fn tools(&self) -> anyhow::Result<Vec<Tool>> {
        Ok(self.service.list_all_tools().await?)
    }

    pub(crate) async fn call(&self, name: &'static str, args: Value) -> anyhow::Result<Answer> {
        self.call_with(name, args, None).await
    }

    /// Calls a tool that may reach these hosts as well.
    pub(crate) async fn call_for(
        &self,
        name: &'static str,
        args: Value,
        hosts: &[&str],
    ) -> anyhow::Result<Answer> {
        self.call_meta(name, args, "tarsy/hosts", json!(hosts)).await
    }

    /// Calls a tool with a value in its `_meta`.
    pub(crate) async fn call_meta(
        &self,
        name: &'static str,
        args: Value,
        key: &str,
        value: Value,
    ) -> anyhow::Result<Answer> {
        let mut meta = RequestMetaObject::default();
        meta.insert(key.to_owned(), value);
        self.call_with(name, args, Some(meta)).await
    }

    async fn call_with(
        &self,
        name: &'static str,
        args: Value,
        meta: Option<RequestMetaObject>,
    ) -> anyhow::Result<Answer> {
        let mut params = CallToolRequestParams::new(name)
            .with_arguments(args.as_object().cloned().unwrap_or_default());
        params.meta = meta;
        let limit = Duration::from_mins(1);
        let result: CallToolResult =
            tokio::time::timeout(limit, self.service.call_tool(params)).await??;
        let text =
            result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone());
        let text = text.ok_or_else(|| anyhow::anyhow!("{name} answered without text"))?;
        let json = serde_json::from_str(&text)?;
        Ok(Answer { is_error: result.is_error == Some(true), text, json })
    }

    /// Ends it, in order.
    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        self.service.cancel().await?;
        Ok(())
    }
}
