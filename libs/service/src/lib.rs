//! libs/service
