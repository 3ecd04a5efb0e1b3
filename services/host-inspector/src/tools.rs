//! The tools, a file a subject: each reads the machine and gives a value, or says why not.

pub(crate) mod disk;
pub(crate) mod dns;
pub(crate) mod http;
pub(crate) mod journal;
pub(crate) mod kernel;
pub(crate) mod lines;
pub(crate) mod logs;
pub(crate) mod memory;
pub(crate) mod network;
pub(crate) mod processes;
pub(crate) mod system;
