//! Which log files may be read: patterns, links resolved, nothing outside.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use nix::fcntl::OFlag;
use wildmatch::WildMatchPattern;

use crate::error::ToolError;

/// How deep the walk goes below the folder of a pattern.
const MAX_DEPTH: usize = 8;
/// How many folder entries one walk looks at.
const MAX_ENTRIES: usize = 20_000;

/// The patterns of readable files.
#[derive(Debug)]
pub(crate) struct AllowList {
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    /// As the operator wrote it.
    text: String,
    /// The folder before the first wildcard, with links resolved when it exists.
    base: PathBuf,
    /// The folder as it was written.
    written_base: PathBuf,
    /// The rest, part by part.
    parts: Vec<String>,
}

/// A file that may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogFile {
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified: SystemTime,
}

impl AllowList {
    /// Reads the patterns; each must be absolute and without `..`.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, ToolError> {
        Ok(Self {
            patterns: patterns.iter().map(|text| Pattern::new(text)).collect::<Result<_, _>>()?,
        })
    }

    /// Opens a file of the list for reading. Links are resolved first, and checked again on the open file.
    pub(crate) fn open(&self, path: &str) -> Result<(File, PathBuf), ToolError> {
        let asked = Path::new(path);
        if !asked.is_absolute() || path.contains('\0') {
            return Err(ToolError::invalid(
                format!("{path:?} is not an absolute path"),
                "use a path as list_logs shows it, such as /var/log/syslog",
            ));
        }
        let resolved = match asked.canonicalize() {
            Ok(resolved) => resolved,
            // Outside the list nobody learns whether a file exists.
            Err(_) if !self.allows_as_written(asked) => return Err(self.refusal(path)),
            Err(error) => return Err(unopened(path, &error)),
        };
        if !self.allows(&resolved) {
            return Err(self.refusal(path));
        }
        let file = OpenOptions::new()
            .read(true)
            .custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC).bits())
            .open(&resolved)
            .map_err(|error| unopened(path, &error))?;
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
            .map_err(|error| unopened(path, &error))?;
        if !self.allows(&opened) {
            return Err(self.refusal(path));
        }
        match file.metadata() {
            Ok(about) if about.is_file() => Ok((file, opened)),
            _ => Err(ToolError::refused(
                format!("{path} is not a regular file"),
                "name a file, not a folder, pipe or device; list_logs shows the readable ones",
            )),
        }
    }

    /// Finds the readable files, the most recently written first; the flag says that the walk was cut.
    pub(crate) fn files(&self, contains: Option<&str>) -> (Vec<LogFile>, bool) {
        let mut walk = Walk {
            list: self,
            found: Vec::new(),
            searched: 0,
            contains: contains.map(str::to_lowercase),
        };
        let mut bases: Vec<&PathBuf> = self.patterns.iter().map(|pattern| &pattern.base).collect();
        bases.sort();
        bases.dedup();
        for base in bases {
            walk.folder(base, 0);
        }
        let cut = walk.searched >= MAX_ENTRIES;
        let mut found = walk.found;
        found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
        found.dedup_by(|a, b| a.path == b.path);
        (found, cut)
    }

    /// The patterns, for messages.
    pub(crate) fn describe(&self) -> String {
        self.patterns.iter().map(|pattern| pattern.text.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn allows(&self, resolved: &Path) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(resolved, &pattern.base))
    }

    fn allows_as_written(&self, path: &Path) -> bool {
        let plain = path.components().all(|part| !matches!(part, Component::ParentDir));
        plain
            && self
                .patterns
                .iter()
                .any(|one| one.matches(path, &one.written_base) || one.matches(path, &one.base))
    }

    fn refusal(&self, path: &str) -> ToolError {
        ToolError::refused(
            format!("{path} is outside the readable logs (after resolving links)"),
            format!("readable are: {}; list_logs shows the files", self.describe()),
        )
    }
}

fn unopened(path: &str, error: &std::io::Error) -> ToolError {
    match error.kind() {
        std::io::ErrorKind::NotFound => ToolError::not_found(
            format!("{path} does not exist"),
            "list_logs shows the files that exist",
        ),
        std::io::ErrorKind::PermissionDenied => ToolError::unreadable(
            format!("this process may not read {path}"),
            "choose another file, or let the inspector run in a group that may read it (such as adm)",
        ),
        _ => ToolError::unreadable(
            format!("{path} cannot be opened: {error}"),
            "choose another file",
        ),
    }
}

impl Pattern {
    fn new(text: &str) -> Result<Self, ToolError> {
        let wrong = |why: &str| {
            ToolError::invalid(
                format!("the log path {text:?} {why}"),
                "write absolute patterns such as /var/log/** or /srv/app/*.log",
            )
        };
        let path = Path::new(text);
        if !path.is_absolute() {
            return Err(wrong("is not absolute"));
        }
        let mut parts = Vec::new();
        for part in path.components() {
            match part {
                Component::RootDir => {}
                Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
                _ => return Err(wrong("has `..` or `.` in it")),
            }
        }
        let literal = parts
            .iter()
            .take_while(|part| !part.contains('*'))
            .count()
            .min(parts.len().saturating_sub(1));
        let rest = parts.split_off(literal);
        if rest.is_empty() {
            return Err(wrong("names no file"));
        }
        let written_base = Path::new("/").join(parts.iter().collect::<PathBuf>());
        let base = written_base.canonicalize().unwrap_or_else(|_| written_base.clone());
        Ok(Self { text: text.to_owned(), base, written_base, parts: rest })
    }

    fn matches(&self, path: &Path, base: &Path) -> bool {
        let Ok(rest) = path.strip_prefix(base) else { return false };
        let names: Vec<String> =
            rest.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        matches_parts(&self.parts, &names)
    }
}

/// Matches path parts; `**` stands for any number of folders and, at the end, for at least one name.
fn matches_parts(parts: &[String], names: &[String]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((part, [])), Some(_)) if part == "**" => true,
        (Some((part, more)), Some((_, fewer))) if part == "**" => {
            matches_parts(more, names) || matches_parts(parts, fewer)
        }
        (Some((part, more)), Some((name, fewer))) => {
            matches_name(part, name) && matches_parts(more, fewer)
        }
        _ => false,
    }
}

/// Matches one name; `*` matches any characters, and no other character is special.
fn matches_name(pattern: &str, name: &str) -> bool {
    WildMatchPattern::<'*', '\0'>::new(pattern).matches(name)
}

struct Walk<'a> {
    list: &'a AllowList,
    found: Vec<LogFile>,
    searched: usize,
    contains: Option<String>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            self.searched += 1;
            if self.searched >= MAX_ENTRIES {
                return;
            }
            // Links are not followed: what they point to is listed where it lives, or not at all.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => self.file(entry.path()),
                _ => {}
            }
        }
        if depth < MAX_DEPTH {
            for path in folders {
                self.folder(&path, depth + 1);
            }
        }
    }

    fn file(&mut self, path: PathBuf) {
        let wanted = self
            .contains
            .as_ref()
            .is_none_or(|part| path.to_string_lossy().to_lowercase().contains(part.as_str()));
        if !wanted || !self.list.allows(&path) || !is_readable(&path) {
            return;
        }
        if let Ok(about) = path.metadata() {
            let modified = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            self.found.push(LogFile { path, size: about.len(), modified });
        }
    }
}

fn is_readable(path: &Path) -> bool {
    nix::unistd::access(path, nix::unistd::AccessFlags::R_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn list(patterns: &[&str]) -> AllowList {
        let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
        AllowList::new(&patterns).expect("valid patterns")
    }

    fn allows(pattern: &str, path: &str) -> bool {
        list(&[pattern]).allows(Path::new(path))
    }

    #[test]
    fn a_double_star_goes_below_and_a_star_stays() {
        assert!(allows("/nowhere/log/**", "/nowhere/log/a"));
        assert!(allows("/nowhere/log/**", "/nowhere/log/a/b/c.log"));
        assert!(!allows("/nowhere/log/**", "/nowhere/log"));
        assert!(!allows("/nowhere/log/**", "/nowhere/logs/a"));
        assert!(allows("/nowhere/*.log", "/nowhere/a.log"));
        assert!(!allows("/nowhere/*.log", "/nowhere/a/b.log"));
        assert!(!allows("/nowhere/*.log", "/nowhere/a.log.gz"));
        assert!(allows("/nowhere/**/x-*-z.log", "/nowhere/a/b/x-1-2-z.log"));
        assert!(allows("/nowhere/one.log", "/nowhere/one.log"));
        assert!(!allows("/nowhere/one.log", "/nowhere/two.log"));
    }

    #[test]
    fn a_relative_pattern_or_one_with_parents_is_refused() {
        for text in ["var/log/**", "/var/log/../**", "/", ""] {
            let error = AllowList::new(&[text.to_owned()]).expect_err(text);
            assert!(error.to_json().to_string().contains("absolute patterns"), "{error}");
        }
    }

    #[test]
    fn a_file_outside_is_refused_whether_or_not_it_exists() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = list(&[&format!("{}/**", folder.path().display())]);
        for path in
            ["/etc/passwd", "/etc/no-such-file", &format!("{}/../x", folder.path().display())]
        {
            let error = list.open(path).expect_err(path);
            assert!(error.to_json().to_string().contains("readable are:"), "{path}: {error}");
        }
        let error = list.open(&format!("{}/gone", folder.path().display())).expect_err("gone");
        assert!(error.to_string().contains("does not exist"));
    }

    #[test]
    fn a_link_that_leads_outside_is_refused_and_one_that_stays_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::write(root.join("real.log"), "line\n").expect("written");
        symlink("/etc/passwd", root.join("escape.log")).expect("linked");
        symlink(root.join("real.log"), root.join("inside.log")).expect("linked");
        let list = list(&[&format!("{}/**", root.display())]);
        assert!(list.open(&root.join("escape.log").to_string_lossy()).is_err());
        assert!(list.open(&root.join("inside.log").to_string_lossy()).is_ok());
        let names: Vec<PathBuf> = list.files(None).0.into_iter().map(|file| file.path).collect();
        assert_eq!(names, [root.canonicalize().expect("a path").join("real.log")]);
    }

    #[test]
    fn a_linked_base_folder_is_one_with_its_target() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("data")).expect("a folder");
        std::fs::write(folder.path().join("data/a.log"), "line\n").expect("written");
        symlink(folder.path().join("data"), folder.path().join("log")).expect("linked");
        let list = list(&[&format!("{}/log/**", folder.path().display())]);
        assert!(list.open(&folder.path().join("log/a.log").to_string_lossy()).is_ok());
    }

    #[test]
    fn a_folder_is_not_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sub")).expect("a folder");
        let list = list(&[&format!("{}/**", folder.path().display())]);
        let error = list.open(&folder.path().join("sub").to_string_lossy()).expect_err("a folder");
        assert!(error.to_string().contains("not a regular file"));
    }
}
