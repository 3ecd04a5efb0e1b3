//! libs/masking
