//! Runbooks from servers and folders of this test:
//!
//! - `hostile`: what must never be fetched, and is refused with its reason
//! - `texts`: what is fetched, from a server, from GitHub's listing, from a folder

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod hostile;
mod server;
mod texts;
