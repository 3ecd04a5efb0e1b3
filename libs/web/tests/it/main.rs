//! The server loop against clients that take too much, or too long.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper that cannot go on fails its test"
)]

mod serving;
