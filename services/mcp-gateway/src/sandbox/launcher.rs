//! The process that gives rights up and becomes a tool server.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context as _;

use super::plan::Plan;
use super::{domain, mounts, places, rights};

/// The first argument of a program that is started as a launcher; a [`Plan`], the program and its
/// arguments follow.
pub(crate) const LAUNCH: &str = "launch-tool-server";
/// How a shell reports a program that it could not start.
const NOT_STARTED: u8 = 126;

/// Becomes a tool server if the arguments of this process say so: call it first in `main`. Returns only
/// if they do not, or if that failed.
pub fn launch_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != LAUNCH {
        return None;
    }
    let Err(error) = launch(arguments);
    print_error(&error);
    Some(ExitCode::from(NOT_STARTED))
}

#[expect(
    clippy::print_stderr,
    reason = "the gateway reports the standard error of a server that did not start"
)]
fn print_error(error: &anyhow::Error) {
    eprintln!("could not start the tool server: {error:#}");
}

fn launch(
    mut arguments: impl Iterator<Item = OsString>,
) -> anyhow::Result<std::convert::Infallible> {
    let plan = arguments.next().context("no plan")?;
    let mut plan: Plan =
        serde_json::from_slice(plan.as_encoded_bytes()).context("an invalid plan")?;
    let hidden = mounts::everywhere(plan.confinement.hidden());
    plan.confinement.hide(hidden);
    let program = arguments.next().context("no program")?;
    let mut command = Command::new(&program);
    give_up(&plan)?;
    make_places(&plan, &mut command);
    domain::enter(&plan.confinement).context("its Landlock domain")?;
    let error = command.args(arguments).exec();
    Err(error).with_context(|| program.display().to_string())
}

fn give_up(plan: &Plan) -> anyhow::Result<()> {
    rights::allow_huge_pages().context("its pages")?;
    rights::limit(plan).context("its limits")?;
    rights::drop_capabilities(&plan.confinement).context("its capabilities")?;
    if let Some(number) = plan.run_as {
        rights::become_user(number).with_context(|| {
            format!("sandbox.run_as: {number}: the gateway may not change the user of its servers; run it as root, or remove run_as")
        })?;
    }
    rights::gain_no_privileges(&plan.confinement).context("its privileges")
}

/// Makes room for what a program makes where its domain will not let it.
fn make_places(plan: &Plan, command: &mut Command) {
    let hidden = plan.confinement.hidden();
    if let Some(home) = std::env::var_os("HOME") {
        places::make_in_home(Path::new(&home), hidden);
    }
    if let Some(folder) = places::temporary(&std::env::temp_dir(), hidden) {
        command.env("TMPDIR", folder);
    }
}

/// The path of a program as a shell would find it.
pub(crate) fn find_program(program: &Path, search: &str) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return is_executable(program).then(|| program.to_owned());
    }
    let folders = std::env::split_paths(search);
    folders.map(|folder| folder.join(program)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_the_search_path() {
        let found = find_program(Path::new("sh"), "/nowhere:/usr/bin:/bin").unwrap();
        assert!(found.ends_with("sh") && found.is_absolute(), "{}", found.display());
        assert_eq!(find_program(Path::new("/bin/sh"), ""), Some(PathBuf::from("/bin/sh")));
        for missing in ["no-such-program", "/proc/version", "/usr"] {
            assert_eq!(find_program(Path::new(missing), "/usr/bin:/bin"), None, "{missing}");
        }
    }
}
