//! Who may do what, and who did what.

pub(crate) mod accepted_tools;
pub(crate) mod api_tokens;
pub(crate) mod audit;
pub(crate) mod oauth;
pub(crate) mod quotas;
pub(crate) mod roles;
pub mod secret;
pub(crate) mod sign_ins;
pub(crate) mod triage;
