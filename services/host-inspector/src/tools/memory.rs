//! `memory_usage`.

use serde_json::{Value, json};

use super::{processes, system};
use crate::args::{MemoryArgs, bounded};
use crate::error::{ToolError, ToolResult};
use crate::host::parsed;
use crate::proc::memory::memory;

/// Memory and swap of the machine, and who holds most of it.
pub(crate) fn usage(args: &MemoryArgs) -> ToolResult {
    let top = bounded("top", args.top, 0, 50)?;
    let memory = parsed("/proc/meminfo", memory)?;
    let mut answer = serde_json::to_value(memory).map_err(|error| {
        ToolError::failed(format!("no JSON of the memory: {error}"), "try again")
    })?;
    if let Some(map) = answer.as_object_mut() {
        if let Some(limit) = system::group_limit() {
            map.insert("control_group".to_owned(), limit);
        }
        if top > 0 {
            let consumers: Vec<Value> = processes::by_memory(top, memory.total_bytes);
            map.insert("top_consumers".to_owned(), json!(consumers));
        }
    }
    Ok(answer)
}
