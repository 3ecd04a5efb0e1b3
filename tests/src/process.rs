//! Measures a process by what Linux reports of it.

/// The memory and file descriptors of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Resident memory that is its own: without the pages of files.
    pub memory_kib: u64,
    pub descriptors: u64,
}

/// Measures a process; none if it has ended.
pub fn sample(pid: i32) -> anyhow::Result<Option<Sample>> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd"));
    let (Ok(status), Ok(descriptors)) = (status, descriptors) else { return Ok(None) };
    let Some(line) = status.lines().find_map(|line| line.strip_prefix("RssAnon:")) else {
        // A process that has ended and was not waited for has no memory.
        return Ok(None);
    };
    let memory_kib = line.trim().trim_end_matches(" kB").parse()?;
    Ok(Some(Sample { memory_kib, descriptors: descriptors.count() as u64 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_descriptors() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let sample = sample(pid).unwrap().unwrap();
        assert!(sample.memory_kib > 100 && sample.descriptors > 2, "{sample:?}");
        assert_eq!(super::sample(i32::MAX).unwrap(), None);
    }
}
