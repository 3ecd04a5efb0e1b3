//! `/proc/meminfo`.

use serde::Serialize;

use super::percent;

/// Memory and swap of the machine, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Memory {
    pub(crate) total_bytes: u64,
    pub(crate) used_bytes: u64,
    pub(crate) available_bytes: u64,
    pub(crate) used_percent: f64,
    pub(crate) free_bytes: u64,
    pub(crate) buffers_and_cache_bytes: u64,
    pub(crate) shared_bytes: u64,
    pub(crate) slab_unreclaimable_bytes: u64,
    pub(crate) dirty_bytes: u64,
    pub(crate) swap_total_bytes: u64,
    pub(crate) swap_used_bytes: u64,
    pub(crate) swap_used_percent: f64,
}

/// Reads `/proc/meminfo`; used is what is not available.
pub(crate) fn memory(text: &str) -> Option<Memory> {
    let field = |name: &str| {
        text.lines().find_map(|line| {
            let rest = line.strip_prefix(name)?.strip_prefix(':')?;
            rest.split_ascii_whitespace().next()?.parse::<u64>().ok()
        })
    };
    let kib = |name: &str| field(name).unwrap_or(0) * 1024;
    let total = field("MemTotal")?.checked_mul(1024)?;
    let free = kib("MemFree");
    let cache = kib("Buffers") + kib("Cached") + kib("SReclaimable");
    let available = field("MemAvailable").map_or(free + cache, |value| value * 1024).min(total);
    let (swap_total, swap_free) = (kib("SwapTotal"), kib("SwapFree"));
    let swap_used = swap_total.saturating_sub(swap_free);
    Some(Memory {
        total_bytes: total,
        used_bytes: total - available,
        available_bytes: available,
        used_percent: percent(total - available, total),
        free_bytes: free,
        buffers_and_cache_bytes: cache,
        shared_bytes: kib("Shmem"),
        slab_unreclaimable_bytes: kib("SUnreclaim"),
        dirty_bytes: kib("Dirty"),
        swap_total_bytes: swap_total,
        swap_used_bytes: swap_used,
        swap_used_percent: percent(swap_used, swap_total),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "MemTotal:        8000 kB\nMemFree:         1000 kB\nMemAvailable:    6000 kB\n\
        Buffers:          100 kB\nCached:          4000 kB\nSwapCached:         0 kB\nDirty:             8 kB\n\
        Shmem:            200 kB\nSReclaimable:     300 kB\nSUnreclaim:        50 kB\nSwapTotal:       4000 kB\n\
        SwapFree:        1000 kB\nHugePages_Total:       0\n";

    #[test]
    #[expect(clippy::float_cmp, reason = "the values are rounded to one decimal")]
    fn used_memory_is_what_is_not_available() {
        let memory = memory(MEMINFO).expect("readable");
        assert_eq!(memory.used_bytes, 2000 * 1024);
        assert_eq!(memory.used_percent, 25.0);
        assert_eq!(memory.buffers_and_cache_bytes, 4400 * 1024);
        assert_eq!((memory.swap_used_bytes, memory.swap_used_percent), (3000 * 1024, 75.0));
    }

    #[test]
    fn an_old_kernel_without_available_is_estimated() {
        let memory =
            memory("MemTotal: 8000 kB\nMemFree: 1000 kB\nCached: 4000 kB\n").expect("readable");
        assert_eq!(memory.available_bytes, 5000 * 1024);
        assert_eq!(memory.swap_total_bytes, 0);
    }

    #[test]
    fn a_text_without_a_total_is_none() {
        assert_eq!(memory("Buffers: 1 kB\n"), None);
    }
}
