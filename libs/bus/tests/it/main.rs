//! The bus against a real nats-server.

mod delivery;
mod requests;
mod storage;
