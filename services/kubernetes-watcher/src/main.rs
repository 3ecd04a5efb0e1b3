//! The service as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tarsy_service::main(
        "kubernetes-watcher",
        tarsy_kubernetes_watcher::check,
        tarsy_kubernetes_watcher::start,
    )
}
