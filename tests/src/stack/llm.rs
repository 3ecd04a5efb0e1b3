//! Starting the replicas of llm-service.

use std::path::Path;

use futures::future::join_all;
use tarsy_embedded::{Spec, free_port};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use super::options::{LLM_TOKEN, StackOptions};
use super::start::owned;
use super::{POLL_INTERVAL, START, Stack};

/// How often llm-service is started at most, each time at other ports.
const LLM_STARTS: usize = 3;

/// One replica of llm-service.
struct Replica {
    name: String,
    port: u16,
    admin: Option<u16>,
    spec: Spec,
}

/// What the replicas of llm-service are started with.
fn llm_services(folder: &Path, options: &StackOptions) -> anyhow::Result<Vec<Replica>> {
    let names = (1..=options.llm_services).map(|number| match number {
        1 => "llm-service".to_owned(),
        more => format!("llm-service-{more}"),
    });
    let start = |name: String| {
        let port = free_port()?;
        let admin = options.admin_ports.then(free_port).transpose()?;
        let spec = llm_service(folder, &name, (port, admin), options)?;
        Ok(Replica { name, port, admin, spec })
    };
    names.map(start).collect()
}

fn llm_service(
    folder: &Path,
    name: &str,
    (port, admin): (u16, Option<u16>),
    options: &StackOptions,
) -> anyhow::Result<Spec> {
    let workspace = tarsy_testkit::workspace();
    let python = workspace.join(".tarsy/venv-llm/bin/python");
    anyhow::ensure!(python.exists(), "run `make setup` first: llm-service is not set up");
    let mut env = vec![
        ("PYTHONPATH", workspace.join("llm-service/src").display().to_string()),
        ("LLM_SERVICE_ADDR", format!("127.0.0.1:{port}")),
        ("LLM_SERVICE_TOKEN", LLM_TOKEN.to_owned()),
        (
            "LLM_SERVICE_WORKERS",
            options.llm_workers.map(|count| count.to_string()).unwrap_or_default(),
        ),
        ("PLAYED_KEY", "sk-played".to_owned()),
        ("TARSY_CONFIG_DIR", folder.join("config").display().to_string()),
    ];
    env.extend(options.variables.iter().cloned());
    if let Some(admin) = admin {
        env.push(("LLM_SERVICE_ADMIN_ADDR", format!("127.0.0.1:{admin}")));
    }
    Ok(Spec {
        program: python,
        args: vec!["-m".to_owned(), "llm_service.main".to_owned()],
        env: owned(&env).collect(),
        log: folder.join(format!("{name}.log")),
        user: None,
        remove: None,
    })
}

impl Stack {
    /// Starts the replicas of llm-service and waits until they listen: at other ports if a program took one that was free, such as a
    /// server of another test that starts again at the port it had.
    pub(super) async fn start_llm_services(
        &mut self,
        options: &StackOptions,
    ) -> anyhow::Result<()> {
        for _ in 0..LLM_STARTS {
            let replicas = llm_services(self.folder.path(), options)?;
            self.llm_ports = replicas.iter().map(|one| one.port).collect();
            for one in replicas {
                self.admin_ports.extend(one.admin.map(|port| (one.name.clone(), port)));
                self.specs.insert(one.name.clone(), one.spec);
                self.launch(&one.name).await?;
            }
            let begun = Instant::now();
            while self.ended().is_empty() {
                let all =
                    self.llm_ports.iter().map(|port| TcpStream::connect(("127.0.0.1", *port)));
                if join_all(all).await.iter().all(Result::is_ok) {
                    return Ok(());
                }
                anyhow::ensure!(
                    begun.elapsed() < START,
                    "llm-service does not listen:\n{}",
                    self.logs()
                );
                sleep(POLL_INTERVAL).await;
            }
            self.services.clear();
        }
        anyhow::bail!(
            "llm-service ended {LLM_STARTS} times at its start:\n{}",
            self.ends_of_llm_services()
        )
    }

    /// The last lines of the logs of llm-service, which has ended.
    fn ends_of_llm_services(&self) -> String {
        let logs =
            self.specs.values().map(|spec| std::fs::read_to_string(&spec.log).unwrap_or_default());
        logs.collect()
    }
}
