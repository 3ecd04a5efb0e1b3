//! The corpus of texts that address a model and of texts that do not, and the limits.

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod limits;
