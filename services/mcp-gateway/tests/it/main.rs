//! The gateway with real MCP servers, over a real bus, as the orchestrator uses it.

#[cfg(test)]
#[path = "../../examples/peer/server.rs"]
mod server;

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod calls;
#[cfg(test)]
mod dialects;
#[cfg(test)]
mod health;
#[cfg(test)]
mod http;
#[cfg(test)]
mod instances;
#[cfg(test)]
mod isolation;
#[cfg(test)]
mod leases;
#[cfg(test)]
mod lenient_http;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod oauth;
#[cfg(test)]
mod odd;
#[cfg(test)]
mod outcomes;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod process;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod sse;
#[cfg(test)]
mod stack;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod tool_server;
#[cfg(test)]
mod trials;
#[cfg(test)]
mod unseen;
