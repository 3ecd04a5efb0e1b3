//! The version of this build.

/// `tarsy/` and the commit that was built, or `tarsy/unknown` outside of a checkout. `TARSY_COMMIT` sets it for
/// builds without one, such as those of images.
pub const VERSION: &str = concat!("tarsy/", env!("TARSY_COMMIT"));
