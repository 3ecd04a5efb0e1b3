//! A tool server over HTTP that answers at once.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct ToolServer {
    url: String,
    serving: JoinHandle<()>,
}

impl Drop for ToolServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl ToolServer {
    /// Listens on a free port.
    pub async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/mcp", listener.local_addr()?);
        let router = Router::new().route("/mcp", post(answer));
        #[expect(clippy::disallowed_methods, reason = "a test's own server, aborted with it")]
        let serving = tokio::spawn(async move {
            // It ends with the task; its callers see an error.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { url, serving })
    }

    /// Its entry of the configuration: YAML below `mcp_servers`.
    pub fn entry(&self) -> String {
        format!(
            "  measured:\n    transport: {{type: http, url: \"{}\"}}\n    policy: {{mode: allow_all}}\n",
            self.url
        )
    }
}

async fn answer(Json(request): Json<Value>) -> Response {
    let Some(id) = request.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let result = match request.get("method").and_then(Value::as_str) {
        Some("initialize") => json!({
            "protocolVersion": request.pointer("/params/protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "measured", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [{
            "name": "get_usage",
            "description": "The use of a disk",
            "inputSchema": {"type": "object", "properties": {"disk": {"type": "string"}}},
        }]}),
        Some("tools/call") => json!({"content": [{"type": "text", "text": "/var/log: 97 % used"}]}),
        _ => json!({}),
    };
    Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
}
