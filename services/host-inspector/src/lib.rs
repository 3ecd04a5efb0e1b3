//! A small read-only MCP server for the machine it runs on: load, memory, disks, processes, sockets, logs and probes.
//!
//! It speaks MCP over standard input and output, writes nothing anywhere, and runs no program but `journalctl`,
//! `systemctl` and `dmesg` with fixed arguments. With `HOST_INSPECTOR_NODES` it looks at no machine itself: it forwards calls
//! to the inspectors of the nodes of a cluster. It must not know anything of sessions, agents or the bus.
//! Every answer is bounded in size and time.

mod args;
mod changes;
mod error;
mod exec;
mod host;
mod logfiles;
mod meta;
mod nodes;
mod options;
mod proc;
mod protocol;
mod render;
mod resolve;
mod router;
mod server;
mod tools;
mod toolset;

pub use changes::{HostChange, HostChangeKind, host_changes};
pub use options::{NodesOptions, Options};
pub use server::serve_stdio;
