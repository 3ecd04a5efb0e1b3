//! Hosts in one spelling, and the lists in which operators name them.
//!
//! Pure: nothing is resolved here. Whoever connects resolves a name once, checks each address with
//! [`Reach::permits`] or [`Network::may_be_named`], and connects to what was checked.
//!
//! ```
//! use tarsy_hosts::{Host, HostList};
//!
//! let list = HostList::parse(["*.example.com", "10.0.0.0/8"]).expect("valid entries");
//! let host = |text| Host::of_address(text).expect("a host");
//! assert!(list.contains(&host("https://Shop.Example.com./health")));
//! assert!(list.contains(&host("http://0x0a000001/")));
//! assert!(!list.contains(&host("https://example.com.evil.example/")));
//! ```

mod host;
mod list;
mod names;
mod network;
mod reach;

pub use host::Host;
pub use list::{HostList, InvalidEntry};
pub use network::{Network, is_restricted};
pub use reach::Reach;
