//! The client of the tool gateways: opens leases and calls tools on them.
//!
//! This crate uses the bus messages of the gateway and no MCP. It does not decide which tool is
//! called, and does not interpret results.
//!
//! ```no_run
//! use std::time::Duration;
//! use tarsy_domain::id::{CallId, ExecutionId, SessionId};
//! use tarsy_tools::{Caller, OpenToolbox, ServerGrant, ToolCallRequest, ToolError, Toolbox};
//!
//! # async fn example(toolbox: &dyn Toolbox) -> Result<(), ToolError> {
//! let lease = toolbox
//!     .open(OpenToolbox {
//!         session_id: SessionId::new(),
//!         execution_id: ExecutionId::new(),
//!         servers: vec![ServerGrant { server: "host".to_owned(), tools: None }],
//!         caller: Caller::Model { alert_hosts: Vec::new() },
//!         timeout: Duration::from_secs(45),
//!     })
//!     .await?;
//! let result = lease
//!     .call(
//!         ToolCallRequest {
//!             call_id: CallId::new(),
//!             name: "host.load".to_owned(),
//!             arguments: "{}".to_owned(),
//!             display: None,
//!             permit: None,
//!         },
//!         Duration::from_secs(90),
//!     )
//!     .await?;
//! assert!(!result.is_error);
//! lease.close().await;
//! # Ok(())
//! # }
//! ```

mod bus;
mod delays;
mod error;
#[cfg(feature = "fake")]
pub mod fake;
mod liveness;
mod opening;
mod renewal;
mod toolbox;

pub use bus::BusToolbox;
pub use error::ToolError;
#[cfg(feature = "fake")]
pub use fake::ScriptedToolbox;
pub use tarsy_contracts::mcp::{
    CallResult, Caller, DisplayTarget, FailedServer, Outcome, ServerGrant, Tool, ToolCallRequest,
};
pub use toolbox::{OpenToolbox, ToolLease, Toolbox};
