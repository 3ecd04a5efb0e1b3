//! The bus against a real nats-server.

mod delivery;
mod permissions;
mod requests;
mod security;
mod storage;
