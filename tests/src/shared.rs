//! One stack for all tests of a binary.

use std::path::PathBuf;
use std::sync::LazyLock;

use tarsy_embedded::{Child, Spec};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

use crate::stack::{Stack, StackOptions};

/// A stack that is started by the first test that needs it, and ends with the process. Tests that
/// kill a service need one of their own.
pub struct Shared {
    options: fn() -> StackOptions,
    runtime: LazyLock<std::io::Result<Runtime>>,
    stack: OnceCell<(Stack, Child)>,
}

impl Shared {
    /// A stack with these options, not started yet.
    pub const fn new(options: fn() -> StackOptions) -> Self {
        // Connections and servers live as long as their runtime does: one for all tests.
        Self { options, runtime: LazyLock::new(Runtime::new), stack: OnceCell::const_new() }
    }

    pub fn run<F>(&'static self, test: impl FnOnce(&'static Stack) -> F) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let runtime = self.runtime.as_ref().map_err(|error| anyhow::anyhow!("{error}"))?;
        runtime.block_on(async {
            let started = self.stack.get_or_try_init(async || {
                let stack = Stack::start((self.options)()).await?;
                let sweeper = sweeper(stack.path("")).await?;
                anyhow::Ok((stack, sweeper))
            });
            let (stack, _) = started.await?;
            test(stack).await
        })
    }
}

/// What is static is never dropped: this program outlives the process for a moment, and takes the
/// folder away when the servers have stopped.
async fn sweeper(folder: PathBuf) -> anyhow::Result<Child> {
    let wait = "import signal, time\n\
                signal.signal(signal.SIGINT, lambda *_: (time.sleep(5), exit()))\n\
                while True: signal.pause()";
    Ok(Child::start(&Spec {
        program: tarsy_testkit::workspace().join(".tarsy/venv/bin/python"),
        args: vec!["-c".to_owned(), wait.to_owned()],
        env: Vec::new(),
        log: "/dev/null".into(),
        user: None,
        remove: Some(folder),
    })
    .await?)
}
