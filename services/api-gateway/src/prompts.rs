//! What this service asks a model.

/// Costs a handful of tokens.
pub(crate) const CONNECTION: &str = "Answer with one word: ok";
