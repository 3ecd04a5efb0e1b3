//! libs/llm-proto
