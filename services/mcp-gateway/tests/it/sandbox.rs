//! The launcher of tool servers: what a program may do after it.

use std::path::Path;
use std::process::{Command, Output};

use nix::unistd::Uid;
use serde_json::{Value, json};

/// Runs a line of a shell as a tool server with this confinement.
fn run(confinement: &Value, run_as: Option<u32>, line: &str) -> Output {
    let plan = json!({
        "memory_bytes": 256 * 1024 * 1024,
        "processes": 4096,
        "open_files": 100,
        "confinement": confinement,
        "run_as": run_as,
    });
    Command::new(env!("CARGO_BIN_EXE_tarsy-mcp-gateway"))
        .args(["launch-tool-server", &plan.to_string(), "sh", "-c", line])
        .output()
        .unwrap()
}

fn processes(hidden: &[&Path]) -> Value {
    json!({"kind": "processes", "hidden": hidden})
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_server_has_limits_and_gains_no_privileges() {
    let output =
        run(&processes(&[]), None, "ulimit -n; ulimit -c; ulimit -d; cat /proc/self/status");
    let text = printed(&output);
    assert!(text.starts_with("100\n0\n262144\n"), "{output:?}");
    assert!(text.contains("NoNewPrivs:\t1"), "{text}");
    let effective = text.lines().find_map(|line| line.strip_prefix("CapEff:\t")).unwrap();
    let effective = u64::from_str_radix(effective, 16).unwrap();
    let (sys_ptrace, sys_admin) = (1 << 19, 1 << 21);
    assert_eq!(effective & (sys_ptrace | sys_admin), 0, "{text}");
}

#[test]
fn a_server_reaches_no_process_but_its_own() {
    let ours = format!("/proc/{}/environ", std::process::id());
    let read = format!(
        "cat {ours} > /dev/null && echo read; kill -0 {} && echo signalled",
        std::process::id()
    );
    let confined = run(&processes(&[]), None, &read);
    assert_eq!(printed(&confined), "", "{confined:?}");
    let own = run(
        &processes(&[]),
        None,
        "sleep 60 & cat /proc/$!/environ > /dev/null && kill $! && echo both",
    );
    assert_eq!(printed(&own), "both\n", "{own:?}");
    let switched_off = run(&json!({"kind": "nothing"}), None, &read);
    assert_eq!(printed(&switched_off), "read\nsignalled\n", "{switched_off:?}");
}

#[test]
fn files_move_between_folders_and_a_hidden_folder_is_out_of_reach() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["a", "b", "secrets"] {
        std::fs::create_dir(root.join(name)).unwrap();
        std::fs::write(root.join(name).join("token"), name).unwrap();
    }
    let at = root.display();
    let line = format!("mv {at}/a/token {at}/b/moved && cat {at}/b/moved {at}/secrets/token");
    let open = run(&processes(&[]), None, &line);
    assert_eq!(printed(&open), "asecrets", "{open:?}");
    let line = format!("mv {at}/b/moved {at}/a/token; cat {at}/a/token {at}/secrets/token");
    let hidden = run(&processes(&[&root.join("secrets")]), None, &line);
    assert_eq!(printed(&hidden), "a", "{hidden:?}");
}

#[test]
fn a_restricted_server_reads_and_writes_what_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["read", "write", "other"] {
        std::fs::create_dir(root.join(name)).unwrap();
        std::fs::write(root.join(name).join("text"), name).unwrap();
    }
    let files = json!({
        "kind": "files", "read": [root.join("read")], "write": [root.join("write")], "hidden": [],
    });
    let at = root.display();
    let line = format!(
        "for f in read write other; do cat {at}/$f/text; echo x > {at}/$f/new; done; cat {at}/*/new {at}/write/new"
    );
    let output = run(&files, None, &line);
    assert_eq!(printed(&output), "readwritex\n", "{output:?}");
}

#[test]
fn a_server_runs_as_the_user_of_the_configuration_or_does_not_start() {
    let output = run(&processes(&[]), Some(65534), "id -u; id -g; id -G");
    if Uid::effective().is_root() {
        assert_eq!(printed(&output), "65534\n65534\n65534\n", "{output:?}");
    } else {
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains("sandbox.run_as: 65534"), "{error}");
    }
}
