//! Connections, migrations and values.

pub(crate) mod cells;
pub(crate) mod migrations;
pub(crate) mod numbers;
pub(crate) mod planner;
pub(crate) mod pool;
pub(crate) mod servers;
pub(crate) mod store;
