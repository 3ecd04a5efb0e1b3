//! The built program, spoken to over MCP as the gateway does it.

mod client;
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod nodes;
mod refusals;
mod tools;
