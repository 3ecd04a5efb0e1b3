//! Runbooks: which URLs are allowed, and the texts behind them.
//!
//! An address comes from whoever submits an alert, so it is hostile until shown otherwise: only named
//! hosts over http(s), only at public addresses unless the operator says otherwise (looked at after
//! the name was resolved, for the very connection that is made), no redirect that leads elsewhere, a
//! size, and a time. The crate knows nothing of sessions, prompts or tables.
//!
//! ```
//! use tarsy_catalog::{Catalog, Env};
//! use tarsy_runbooks::Rules;
//!
//! let catalog = Catalog::builtin(&Env::empty()).expect("the built-ins are valid");
//! let rules = Rules::new(&catalog.system, None);
//! assert!(rules.check("https://github.com/org/repo/blob/main/disk.md").is_ok());
//! assert!(rules.check("http://169.254.169.254/latest/meta-data").is_err());
//! ```

mod address;
mod cache;
mod error;
mod fetch;
mod folder;
mod github;
mod rules;
mod runbooks;

pub use error::Error;
pub use rules::Rules;
pub use runbooks::Runbooks;
