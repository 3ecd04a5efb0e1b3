//! The bus against a real nats-server.

mod cluster;
mod delivery;
mod permissions;
mod removal;
mod requests;
mod security;
mod storage;
