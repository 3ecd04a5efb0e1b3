//! libs/llm
