//! services/orchestrator
