//! The kernel's Landlock: a domain that a process and its descendants cannot leave.
//!
//! A process in a domain cannot look into a process outside of it (its memory, its environment), even one
//! of the same user. What the running kernel cannot do is left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

use super::plan::Confinement;

/// The version whose rights on files are used; a kernel without some of them uses the others.
const FILES: ABI = ABI::V5;
/// What a restricted server reads.
const READABLE: [&str; 13] = [
    "/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/run", "/sbin",
    "/sys", "/usr",
];
/// The devices that it writes.
const DEVICES: [&str; 5] = ["/dev/full", "/dev/null", "/dev/ptmx", "/dev/tty", "/dev/zero"];

/// What a domain keeps from its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// To look into processes outside, and to send them signals.
    Signals,
    /// To look into processes outside; also to mount, which comes with this way.
    Processes,
    /// The same as one of the two, and files.
    Files,
}

/// Enters a domain; none if the kernel has no Landlock, or only its first version, which would break
/// renaming between folders.
pub(super) fn enter(confinement: &Confinement) -> Result<Option<Domain>, RulesetError> {
    match confinement {
        Confinement::Nothing | Confinement::Privileges => Ok(None),
        Confinement::Processes { hidden } if hidden.is_empty() => enter_processes(),
        Confinement::Processes { hidden } => {
            enter_files(&[(Path::new("/").to_owned(), AccessFs::from_all(FILES))], hidden)
        }
        Confinement::Files { read, write, hidden } => {
            let (readable, all) = (AccessFs::from_read(FILES), AccessFs::from_all(FILES));
            let device = AccessFs::from_read(FILES) | AccessFs::WriteFile | AccessFs::IoctlDev;
            let given = |paths: &[PathBuf], access: BitFlags<AccessFs>| {
                paths.iter().map(|path| (path.clone(), access)).collect::<Vec<_>>()
            };
            let system = |paths: &[&str], access: BitFlags<AccessFs>| {
                paths.iter().map(|path| (PathBuf::from(path), access)).collect::<Vec<_>>()
            };
            let rules = [
                system(&READABLE, readable),
                system(&DEVICES, device),
                given(read, readable),
                given(write, all),
            ];
            enter_files(&rules.concat(), hidden)
        }
    }
}

/// A domain that leaves all files as they are.
fn enter_processes() -> Result<Option<Domain>, RulesetError> {
    let signals = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal)
        .and_then(Ruleset::create);
    if let Ok(rules) = signals {
        return restrict(rules, Domain::Signals);
    }
    // Before Linux 6.12: a rule on files is needed, and allows everything. Block devices are what no server makes.
    let refer = BitFlags::from(AccessFs::Refer);
    let files = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(refer | AccessFs::MakeBlock)
        .and_then(Ruleset::create);
    match files {
        Ok(rules) => {
            restrict(rules.add_rules(path_beneath_rules(["/"], refer))?, Domain::Processes)
        }
        Err(_) => Ok(None),
    }
}

/// A domain in which only these paths are reached, without those that are hidden.
fn enter_files(
    allowed: &[(PathBuf, BitFlags<AccessFs>)],
    hidden: &[PathBuf],
) -> Result<Option<Domain>, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(FILES))?
        .scope(Scope::Signal)?
        .create()?;
    for (path, access) in allowed {
        rules = rules.add_rules(path_beneath_rules(without(path, hidden), *access))?;
        // Listing a folder that contains a hidden one: the names in the latter can be listed, too.
        let listed = around(path, hidden);
        rules = rules.add_rules(path_beneath_rules(listed, *access & AccessFs::ReadDir))?;
    }
    restrict(rules, Domain::Files)
}

fn restrict(rules: RulesetCreated, domain: Domain) -> Result<Option<Domain>, RulesetError> {
    let status = rules.restrict_self()?;
    Ok((status.ruleset != landlock::RulesetStatus::NotEnforced).then_some(domain))
}

/// The folder and those beneath it that contain something hidden.
fn around(folder: &Path, hidden: &[PathBuf]) -> BTreeSet<PathBuf> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let above = hidden.iter().flat_map(|path| path.ancestors().skip(1));
    above.filter(|path| path.starts_with(&folder)).map(Path::to_owned).collect()
}

/// A folder as the parts of it that contain nothing hidden. What is created beside a hidden folder later is
/// hidden, too: a domain knows only what is allowed.
fn without(folder: &Path, hidden: &[PathBuf]) -> BTreeSet<PathBuf> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    if hidden.iter().any(|path| folder.starts_with(path)) {
        return BTreeSet::new();
    }
    if !hidden.iter().any(|path| path.starts_with(&folder)) {
        return BTreeSet::from([folder]);
    }
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    // A link leads to a place that has a rule of its own, or to one that has none.
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.flat_map(|entry| without(&entry.path(), hidden)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_something_hidden_is_its_other_parts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["a/b", "run/secrets/token", "run/other"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::os::unix::fs::symlink("run/secrets", root.join("link")).unwrap();
        let hidden = [root.join("run/secrets")];
        let parts = without(&root, &hidden);
        assert_eq!(parts, [root.join("a"), root.join("run/other")].into());
        assert_eq!(around(&root, &hidden), [root.clone(), root.join("run")].into());
        assert_eq!(around(&root.join("a"), &hidden), BTreeSet::new());
        assert_eq!(without(&root.join("a"), &hidden), [root.join("a")].into());
        assert_eq!(without(&root.join("run/secrets/token"), &hidden), BTreeSet::new());
    }
}
