//! The launcher of tool servers: what a program may do after it.

use std::path::Path;
use std::process::{Command, Output};

use nix::sys::prctl::set_thp_disable;
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
    // As `tarsy` runs; what it starts would inherit it.
    set_thp_disable(true).unwrap();
    let output =
        run(&processes(&[]), None, "ulimit -n; ulimit -c; ulimit -d; cat /proc/self/status");
    let text = printed(&output);
    assert!(text.starts_with("100\n0\n262144\n"), "{output:?}");
    assert!(text.contains("NoNewPrivs:\t1"), "{text}");
    assert!(text.contains("THP_enabled:\t1"), "{text}");
    let effective = text.lines().find_map(|line| line.strip_prefix("CapEff:\t")).unwrap();
    let effective = u64::from_str_radix(effective, 16).unwrap();
    // Raw sockets would show it the passwords that other programs of the machine send.
    let (net_raw, sys_ptrace, sys_admin) = (1 << 13, 1 << 19, 1 << 21);
    assert_eq!(effective & (net_raw | sys_ptrace | sys_admin), 0, "{text}");
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

/// A home as `tarsy up` leaves it, in the home of its user; the launcher runs with the latter as `HOME`.
struct Homes {
    folder: tempfile::TempDir,
}

impl Homes {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let homes = Self { folder };
        for name in ["user/project/.tarsy/postgres", "user/documents"] {
            std::fs::create_dir_all(homes.at(name)).unwrap();
        }
        for name in ["run.json", "local.token", "token.key", "postgres/password"] {
            std::fs::write(homes.at("user/project/.tarsy").join(name), "the secret").unwrap();
        }
        std::fs::write(homes.at("user/documents/text"), "a document").unwrap();
        homes
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Runs a line of a shell in each confinement that is a sandbox; the variable `T` is the folder that it must not read.
    fn in_every_sandbox(&self, line: &str) -> Vec<String> {
        let hidden = self.at("user/project/.tarsy");
        let open = processes(&[&hidden]);
        let user = self.at("user");
        let files = json!({"kind": "files", "read": [user], "write": [user], "hidden": [hidden]});
        [open, files]
            .iter()
            .map(|confinement| {
                let line =
                    format!("export HOME={}; T={}; {line}", user.display(), hidden.display());
                let output = run(confinement, None, &line);
                printed(&output)
            })
            .collect()
    }
}

#[test]
fn a_tool_server_reads_nothing_of_the_folder_of_an_all_in_one() {
    let homes = Homes::new();
    let token = homes.at("user/project/.tarsy/local.token");
    let without = run(&processes(&[]), None, &format!("cat {}", token.display()));
    assert_eq!(printed(&without), "the secret", "nothing else keeps it from the server");
    for line in [
        "cat $T/run.json $T/local.token $T/token.key $T/postgres/password",
        "cd $T && cat local.token",
        "cat $T/../.tarsy/local.token",
        "cat /proc/self/root$T/local.token /proc/$$/root$T/local.token /proc/1/root$T/local.token",
        "cat /proc/$PPID/cwd/local.token",
        "ln -s $T/local.token $HOME/documents/link && cat $HOME/documents/link",
        "ln $T/local.token $HOME/documents/hard && cat $HOME/documents/hard",
        "mv $T/local.token $HOME/documents/moved && cat $HOME/documents/moved",
        "mv $T $HOME/documents/folder && cat $HOME/documents/folder/local.token",
        "cp -r $T $HOME/documents/copy && cat $HOME/documents/copy/local.token",
        "tar -cf - $T | grep -a secret",
        "dd if=$T/local.token",
        "exec 3<$T/local.token && cat <&3",
        "for f in /proc/[0-9]*/fd/*; do case $(readlink $f) in *local.token) cat $f;; esac; done",
        "sh -c 'cat $0' $T/local.token",
        "unshare -r cat $T/local.token",
    ] {
        for read in homes.in_every_sandbox(line) {
            assert!(!read.contains("secret"), "{line}: {read}");
        }
    }
}

#[test]
fn a_tool_server_changes_nothing_in_the_folder_of_an_all_in_one() {
    let homes = Homes::new();
    for line in [
        "echo x > $T/local.token",
        "echo x >> $T/run.json",
        "rm -f $T/token.key",
        "echo x > $T/new",
        "mkdir $T/folder",
        "rm -rf $T",
        "echo x > $HOME/documents/own && mv $HOME/documents/own $T/local.token",
        "truncate -s 0 $T/local.token",
    ] {
        homes.in_every_sandbox(line);
        for name in ["run.json", "local.token", "token.key", "postgres/password"] {
            let content = std::fs::read_to_string(homes.at("user/project/.tarsy").join(name));
            assert_eq!(content.unwrap(), "the secret", "{line}: {name}");
        }
        assert!(!homes.at("user/project/.tarsy/new").exists(), "{line}");
    }
}

#[test]
fn beside_a_hidden_folder_a_server_works_as_before() {
    let homes = Homes::new();
    for (line, expected) in [
        ("cat $HOME/documents/text", "a document"),
        ("echo new > $HOME/documents/new; cat $HOME/documents/new", "new\n"),
        ("ls $HOME; ls $HOME/project", "documents\nproject\n"),
        ("ls / > /dev/null && echo listed", "listed\n"),
        ("echo x > $(mktemp) && echo made", "made\n"),
    ] {
        for printed in homes.in_every_sandbox(line).into_iter().take(1) {
            assert_eq!(printed, expected, "{line}");
        }
    }
}

#[test]
fn caches_and_temporary_files_are_made_though_nothing_else_is_made_beside_a_hidden_folder() {
    let homes = Homes::new();
    let user = homes.at("user");
    let plan = json!({
        "memory_bytes": 256 * 1024 * 1024, "processes": 4096, "open_files": 100, "run_as": null,
        "confinement": processes(&[&homes.at("user/project/.tarsy")]),
    });
    let line = "echo x > $HOME/.cache/npx && echo x > $(mktemp) && cat $HOME/.cache/npx; echo x > $HOME/other";
    let output = Command::new(env!("CARGO_BIN_EXE_tarsy-mcp-gateway"))
        .args(["launch-tool-server", &plan.to_string(), "sh", "-c", line])
        .env("HOME", &user)
        .env("TMPDIR", &user)
        .output()
        .unwrap();
    assert_eq!(printed(&output), "x\n", "{output:?}");
    assert!(!user.join("other").exists());
}

#[test]
fn a_second_place_of_a_hidden_folder_is_hidden_too() {
    let homes = Homes::new();
    std::fs::create_dir(homes.at("again")).unwrap();
    let plan = json!({
        "memory_bytes": 256 * 1024 * 1024, "processes": 4096, "open_files": 100, "run_as": null,
        "confinement": processes(&[&homes.at("user/project/.tarsy")]),
    });
    let again = homes.at("again");
    let line = format!(
        "cat {0}/documents/text {0}/project/.tarsy/local.token; echo x > {0}/project/.tarsy/local.token",
        again.display()
    );
    // In mounts of its own, which end with it.
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c"])
        .arg(r#"mount --bind "$1" "$2" && exec "$3" launch-tool-server "$4" sh -c "$5""#)
        .arg("sh")
        .args([homes.at("user"), again])
        .args([env!("CARGO_BIN_EXE_tarsy-mcp-gateway"), &plan.to_string(), &line])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    let may_mount = !error.contains("unshare:");
    assert_eq!(printed(&output), if may_mount { "a document" } else { "" }, "{error}");
    let token = homes.at("user/project/.tarsy/local.token");
    assert_eq!(std::fs::read_to_string(token).unwrap(), "the secret");
}
