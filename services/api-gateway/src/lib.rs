//! services/api-gateway
