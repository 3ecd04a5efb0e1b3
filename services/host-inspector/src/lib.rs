//! A small read-only MCP server for the machine it runs on: load, memory, disks, processes, sockets, logs and probes.
//!
//! It speaks MCP over standard input and output, writes nothing anywhere, and runs no program but `journalctl`,
//! `systemctl` and `dmesg` with fixed arguments. It must not know anything of sessions, agents or the bus.
//! Every answer is bounded in size and time.

mod args;
mod error;
mod exec;
mod host;
mod logfiles;
mod options;
mod proc;
mod render;
mod server;
mod tools;
mod toolset;

pub use options::Options;
pub use server::serve_stdio;
