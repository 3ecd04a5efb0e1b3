//! The relay against a real PostgreSQL and a real NATS, as a browser sees it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails its test"
)]

mod delivery;
mod manners;
mod outage;
mod slow;
mod stack;
mod text;
mod viewer;
