//! Requests to hosts that somebody outside names, and the proxies of the environment.
//!
//! A name is resolved for the very connection that is made, to those of its addresses that may be connected to: nothing is
//! resolved again between this check and the connection. An address that is written as a number is not resolved; whoever
//! sends a request checks it before.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tarsy_outbound::Resolver;
//!
//! let resolver = Resolver::new(|host, address| host != "db.example" && !address.is_loopback());
//! let client = reqwest::Client::builder().no_proxy().dns_resolver(Arc::new(resolver)).build();
//! assert!(client.is_ok());
//! ```

mod guard;
mod obstacle;
mod proxies;
mod resolver;

pub use self::guard::{Guard, Refusal};
pub use self::obstacle::{AUTHORITIES, Obstacle, describe, obstacle};
pub use self::proxies::Proxies;
pub use self::resolver::{NoAddress, NotPermitted, Resolver};
