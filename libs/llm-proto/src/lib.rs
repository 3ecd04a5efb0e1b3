//! The contract with llm-service, generated from `proto/llm/v1/llm.proto` by `cargo xtask gen`.
//!
//! Nothing here is written by hand. Only `tarsy-llm` uses it.

/// The messages and the client of `llm.v1`.
#[expect(
    missing_docs,
    unused_qualifications,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::clone_on_ref_ptr,
    reason = "generated"
)]
pub mod v1 {
    include!("generated/llm.v1.rs");
}
