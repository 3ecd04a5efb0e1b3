//! The types of what a host shows: its processes, filesystems, interfaces and listening sockets.

use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) id: String,
    pub(crate) parent: String,
    /// Of the first word of its command; of the kernel if it has no command.
    pub(crate) name: String,
    pub(crate) state: String,
    /// Of one core.
    pub(crate) cpu_percent: f64,
    pub(crate) memory_percent: f64,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub(crate) path: String,
    pub(crate) used_percent: f64,
    pub(crate) inodes_used_percent: f64,
    pub(crate) place: Place,
}

/// A filesystem of a list, by space or by inodes.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    pub(crate) path: String,
    /// In use.
    pub(crate) percent: f64,
    pub(crate) of_inodes: bool,
    /// The value that shows it, as the result has it.
    pub(crate) text: String,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub(crate) name: String,
    pub(crate) state: String,
    /// Packets that it received or dropped.
    pub(crate) packets: f64,
    /// Packets with errors, since the machine started.
    pub(crate) errors: f64,
    /// Packets that it dropped, since the machine started.
    pub(crate) dropped: f64,
    pub(crate) place: Place,
}

#[derive(Clone, Debug)]
pub(crate) struct Socket {
    pub(crate) port: u16,
    pub(crate) place: Place,
}

/// A machine that a result is from, by its name.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) name: String,
    pub(crate) place: Place,
}

/// How busy the machine is, of all of its processors.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// Processes that ran or waited, on average of the last minute.
    pub(crate) minute: f64,
    pub(crate) cores: f64,
    pub(crate) place: Place,
}

/// A share of all there is, in percent.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub(crate) percent: f64,
    pub(crate) place: Place,
}

/// Where something stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The index of the result.
    pub(crate) result: usize,
    pub(crate) line: usize,
}

/// All that is known of hosts.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) processes: Vec<Process>,
    pub(crate) mounts: Vec<Mount>,
    /// Those of lists with columns.
    pub(crate) volumes: Vec<Volume>,
    /// The results and lines of such lists, of other machines too.
    pub(crate) listed: BTreeSet<(usize, usize)>,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) sockets: Vec<Socket>,
    pub(crate) machines: Vec<Machine>,
    pub(crate) loads: Vec<Load>,
    /// Of the memory that is in use.
    pub(crate) memory: Vec<Share>,
    /// Of the time in which the processors are busy.
    pub(crate) processors: Vec<Share>,
    /// Averages of the load in the last minute, of a machine whose processors another result counts.
    pub(crate) averages: Vec<(f64, Place)>,
    pub(crate) cores: Option<f64>,
    /// Seconds by which the clock is off.
    pub(crate) clocks: Vec<(f64, Place)>,
}

impl Host {
    /// The last load that was measured.
    pub(crate) fn load(&self) -> Option<Load> {
        let average = self.averages.last().zip(self.cores);
        let average =
            average.map(|((minute, place), cores)| Load { minute: *minute, cores, place: *place });
        self.loads.last().cloned().or(average)
    }

    /// The filesystem of a path.
    pub(crate) fn mount_of(&self, path: &str) -> Option<&Mount> {
        let holds = |mount: &&Mount| {
            let rest = path.strip_prefix(mount.path.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.mounts.iter().filter(holds).max_by_key(|mount| mount.path.len())
    }
}
