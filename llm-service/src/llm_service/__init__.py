"""Streams model turns over gRPC. Stateless: it knows neither sessions' storage nor tools' servers."""
