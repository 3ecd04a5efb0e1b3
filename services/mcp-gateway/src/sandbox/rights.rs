//! Limits, capabilities and users.

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

use super::plan::{Confinement, Plan};

/// The capabilities that a program of root keeps: those of a container by default in Docker, without raw sockets. None of them
/// lets it look into another process or read what others send, load code into the kernel, or change mounts, devices or the clock.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT)
    .union(CapabilitySet::AUDIT_WRITE)
    .union(CapabilitySet::SETFCAP);

/// Lowers the limits of this process; they never rise.
pub(super) fn limit(plan: &Plan) -> Result<(), Errno> {
    for (resource, wanted) in [
        (Resource::RLIMIT_DATA, plan.memory_bytes),
        (Resource::RLIMIT_NPROC, plan.processes),
        (Resource::RLIMIT_NOFILE, plan.open_files),
        (Resource::RLIMIT_CORE, 0),
    ] {
        let (_, hard) = getrlimit(resource)?;
        let limit = wanted.min(hard);
        setrlimit(resource, limit, limit)?;
    }
    Ok(())
}

/// Lets the program have huge pages, as any other program of this machine: the gateway's process may have none.
pub(super) fn allow_huge_pages() -> Result<(), Errno> {
    match prctl::set_thp_disable(false) {
        // A kernel without them.
        Err(Errno::EINVAL) => Ok(()),
        set => set,
    }
}

/// Gives up what a program of root would get when it is started. Without root there is nothing.
pub(super) fn drop_capabilities(confinement: &Confinement) -> Result<(), Errno> {
    let is_confined =
        matches!(confinement, Confinement::Processes { .. } | Confinement::Files { .. });
    if !is_confined || !Uid::effective().is_root() {
        return Ok(());
    }
    for capability in CapabilitySet::all().difference(KEPT) {
        match remove_capability_from_bounding_set(capability) {
            // The kernel does not know it, or a container has taken the right to give it up, and with it the rest.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(Errno::from_raw(error.raw_os_error())),
        }
    }
    Ok(())
}

/// Becomes this user and the group of the same number.
pub(super) fn become_user(number: u32) -> Result<(), Errno> {
    let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(user, user, user)
}

/// Programs that change their user when they start (`sudo`) no longer do.
pub(super) fn gain_no_privileges(confinement: &Confinement) -> Result<(), Errno> {
    if *confinement == Confinement::Nothing {
        return Ok(());
    }
    prctl::set_no_new_privs()
}
