use std::fs;

use nix::errno::Errno;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::*;

/// Ignores every polite request, starts one that does so, too, and tells both.
const STUBBORN: &str =
    "trap '' INT TERM; sleep 1000 & echo $$ $! > pids.new; mv pids.new pids; wait; sleep 1000";
/// Leaves when it is asked to, but not what it started.
const POLITE: &str =
    "sleep 1000 & trap 'exit 0' TERM; echo $$ $! > pids.new; mv pids.new pids; kill -TERM $$; wait";

fn spec(folder: &TempDir, script: &str, remove: Option<PathBuf>) -> Spec {
    let script = format!("cd {}; {script}", folder.path().display());
    Spec {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script],
        env: Vec::new(),
        log: "/dev/null".into(),
        user: None,
        remove,
    }
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// The processes that a script printed of.
async fn pids(folder: &TempDir) -> Vec<Pid> {
    let printed = folder.path().join("pids");
    until("the script tells its processes", || printed.exists()).await;
    let text = fs::read_to_string(printed).unwrap();
    text.split_whitespace().map(|pid| Pid::from_raw(pid.parse().unwrap())).collect()
}

/// Nobody may have reaped them, but they run no more.
fn ended(pids: &[Pid]) -> bool {
    pids.iter().all(|pid| match kill(*pid, None) {
        Err(errno) => errno == Errno::ESRCH,
        Ok(()) => fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z"))),
    })
}

#[tokio::test]
async fn one_that_ignores_the_end_of_its_owner_is_killed_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let spec = spec(&folder, STUBBORN, None);
    let child = Child::start_with(&spec, Duration::from_secs(1)).await.unwrap();
    let pids = pids(&folder).await;
    assert!(!ended(&pids[..1]) && !ended(&pids[1..]));
    drop(child);
    until("all have ended", || ended(&pids)).await;
}

#[tokio::test]
async fn an_owner_that_waits_itself_decides_how_long() {
    let folder = tempfile::tempdir().unwrap();
    let spec = spec(&folder, STUBBORN, None);
    let child = Child::start(&spec).await.unwrap();
    let pids = pids(&folder).await;
    child.stop(Duration::from_millis(50)).await;
    until("all have ended", || ended(&pids)).await;
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::start(&spec(&folder, POLITE, None)).await.unwrap();
    let pids = pids(&folder).await;
    assert_eq!(child.exited().await, "exit 0");
    until("all have ended", || ended(&pids)).await;
    // Who asks late is printed at once, and stops nobody.
    child.stop(Duration::from_mins(1)).await;
}

#[tokio::test]
async fn no_shell_waits_for_a_program_that_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Child::start(&spec(&folder, "exit 3", None)).await.unwrap();
    let group = Pid::from_raw(i32::try_from(child.wrapper.id().unwrap()).unwrap());
    assert_eq!(child.exited().await, "exit 3");
    child.wrapper.wait().await.unwrap();
    until("its group is empty", || nix::sys::signal::killpg(group, None) == Err(Errno::ESRCH))
        .await;
}

#[tokio::test]
async fn a_folder_goes_with_its_owner_and_stays_when_the_program_is_stopped_or_killed() {
    let folder = tempfile::tempdir().unwrap();
    let passing = folder.path().join("passing");
    fs::create_dir(&passing).unwrap();
    let spec = spec(&folder, STUBBORN, Some(passing.clone()));
    Child::start(&spec).await.unwrap().kill().await;
    Child::start(&spec).await.unwrap().stop(Duration::from_millis(50)).await;
    assert!(passing.exists());
    let mut child = Child::start_with(&spec, Duration::from_secs(1)).await.unwrap();
    kill(Pid::from_raw(child.pid()), Signal::SIGKILL).unwrap();
    assert_eq!(child.exited().await, "exit 137");
    assert!(passing.exists());
    drop(child);
    until("the folder is gone", || !passing.exists()).await;
}

#[tokio::test]
async fn a_child_gets_nothing_of_our_environment_but_what_every_program_may_know() {
    let folder = TempDir::new().unwrap();
    let script = "cat /proc/self/environ > environ.new; mv environ.new environ";
    let mut asked = spec(&folder, script, None);
    asked.env = vec![("GIVEN".to_owned(), "yes".to_owned())];
    let mut child = Child::start(&asked).await.unwrap();
    child.exited().await;
    let environ = fs::read_to_string(folder.path().join("environ")).unwrap();
    let names: Vec<&str> =
        environ.split('\0').filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    assert!(names.contains(&"GIVEN") && names.contains(&"PATH"), "{names:?}");
    // The shell's own.
    let known = |name: &&str| {
        INHERITED.contains(name) || ["GIVEN", "PWD", "OLDPWD", "_", "SHLVL"].contains(name)
    };
    assert!(names.iter().all(known), "{names:?}");
    assert!(std::env::vars().any(|(name, _)| !known(&name.as_str())), "nothing to keep from it");
}
