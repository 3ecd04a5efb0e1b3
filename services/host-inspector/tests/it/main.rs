//! The built program, spoken to over MCP as the gateway does it.

mod client;
mod refusals;
mod tools;
