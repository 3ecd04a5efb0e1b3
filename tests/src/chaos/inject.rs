//! Carries faults out.

use nix::sys::signal::Signal;
use tokio::time::{Instant, sleep};

use crate::chaos::fault::{Fault, Suspended};
use crate::faketime;
use crate::stack::{Backend, Stack};

/// A time in which the notifier could not work as usual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disturbance {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
}

/// Carries faults out one after another.
#[derive(Debug, Default)]
pub(crate) struct Injector {
    /// How many were carried out.
    pub(crate) count: usize,
    /// How many of these killed the owner of a session.
    pub(crate) owners: usize,
    /// When the notifier could not work as usual.
    pub(crate) disturbances: Vec<Disturbance>,
    /// Services whose clock is off.
    skewed: Vec<String>,
}

impl Injector {
    /// Carries a fault out and ends it; only a clock stays off, until [`Injector::set_clocks`].
    pub(crate) async fn inject(&mut self, stack: &mut Stack, fault: &Fault) -> anyhow::Result<()> {
        let from = Instant::now();
        self.count += 1;
        self.carry_out(stack, fault).await?;
        if fault.disturbs_the_notifier() {
            self.disturbances.push(Disturbance { from, until: Instant::now() });
        }
        Ok(())
    }

    /// Kills the orchestrator that has a session, and starts it again. One that nobody has is left.
    pub(crate) async fn kill_owner(
        &mut self,
        stack: &mut Stack,
        session: &str,
    ) -> anyhow::Result<()> {
        let Some(service) = stack.owner(session).await? else { return Ok(()) };
        self.owners += 1;
        self.inject(stack, &Fault::Kill { service }).await
    }

    async fn carry_out(&mut self, stack: &mut Stack, fault: &Fault) -> anyhow::Result<()> {
        match fault {
            Fault::Kill { service } => restart(stack, service).await?,
            Fault::Suspend { service, lasts, then } => {
                stack.signal(service, Signal::SIGSTOP)?;
                sleep(*lasts).await;
                match then {
                    Suspended::Continued => stack.signal(service, Signal::SIGCONT)?,
                    Suspended::Killed => restart(stack, service).await?,
                }
            }
            Fault::SuspendNats { lasts } => {
                stack.nats().signal(Signal::SIGSTOP);
                sleep(*lasts).await;
                stack.nats().signal(Signal::SIGCONT);
            }
            Fault::Lose { service: Some(service), backend, lasts } => {
                stack.link(service, *backend)?.lose();
                sleep(*lasts).await;
                stack.link(service, *backend)?.restore();
            }
            Fault::Lose { service: None, backend, lasts } => {
                stack.lose(*backend);
                sleep(*lasts).await;
                stack.restore(*backend);
            }
            Fault::Cut { lasts } => {
                if let Some(network) = stack.network() {
                    network.cut().await?;
                    sleep(*lasts).await;
                    network.restore().await?;
                }
            }
            Fault::Restart { backend: Backend::Postgres, lasts } => {
                stack.postgres().kill().await;
                sleep(*lasts).await;
                stack.postgres().launch().await?;
            }
            Fault::Restart { backend: Backend::Nats, lasts } => {
                stack.nats().kill().await;
                sleep(*lasts).await;
                stack.nats().launch().await?;
            }
            Fault::Wipe { lasts } => {
                stack.nats().kill().await;
                stack.nats().wipe()?;
                sleep(*lasts).await;
                stack.nats().launch().await?;
            }
            Fault::Skew { service, offset } => {
                stack.kill(service).await?;
                stack.launch_with(service, &skew(offset)).await?;
                self.skewed.push(service.clone());
            }
        }
        Ok(())
    }

    /// Starts the services again whose clock is off.
    pub(crate) async fn set_clocks(&mut self, stack: &mut Stack) -> anyhow::Result<()> {
        for service in std::mem::take(&mut self.skewed) {
            let from = Instant::now();
            restart(stack, &service).await?;
            if service == "notifier" {
                self.disturbances.push(Disturbance { from, until: Instant::now() });
            }
        }
        Ok(())
    }
}

async fn restart(stack: &mut Stack, service: &str) -> anyhow::Result<()> {
    stack.kill(service).await?;
    stack.launch(service).await
}

fn skew(offset: &str) -> [(&'static str, String); 3] {
    let library = faketime::library().map(|path| path.display().to_string()).unwrap_or_default();
    [
        ("LD_PRELOAD", library),
        ("FAKETIME", offset.to_owned()),
        // Only the time of day differs between machines; timers run by the monotonic clock.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]
}
