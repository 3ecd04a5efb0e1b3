//! What can go wrong, and how it is chosen.

use std::fmt;
use std::time::Duration;

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use crate::faketime;
use crate::stack::{Backend, Stack};

/// How far a service's clock is off.
const OFFSETS: [&str; 4] = ["-1h", "+1h", "-90s", "+25h"];

/// How much of what can go wrong is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything, one or two faults and two sessions a round.
    All,
    /// Only what services recover from within seconds, one fault and one session a round.
    Short,
}

/// How a suspended process goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suspended {
    Continued,
    Killed,
}

/// One fault, and how long it lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// SIGKILL, and the service is started again.
    Kill { service: String },
    /// SIGSTOP.
    Suspend { service: String, lasts: Duration, then: Suspended },
    /// SIGSTOP of NATS, then SIGCONT.
    SuspendNats { lasts: Duration },
    /// Packets between a service and a server are lost without a reset; none stands for all services.
    Lose { service: Option<String>, backend: Backend, lasts: Duration },
    /// The kernel drops every packet to PostgreSQL.
    Cut { lasts: Duration },
    /// SIGKILL of a server, and it is started again.
    Restart { backend: Backend, lasts: Duration },
    /// NATS is killed and its store deleted.
    Wipe { lasts: Duration },
    /// The clock of a service is off until the end of the round.
    Skew { service: String, offset: &'static str },
}

impl Fault {
    /// Whether the notifier or its way to its rows is disturbed, so that an answer may not be stored.
    pub(crate) fn disturbs_the_notifier(&self) -> bool {
        match self {
            Self::Kill { service }
            | Self::Suspend { service, .. }
            | Self::Skew { service, .. }
            | Self::Lose { service: Some(service), backend: Backend::Postgres, .. } => {
                service == "notifier"
            }
            Self::Lose { backend, .. } | Self::Restart { backend, .. } => {
                *backend == Backend::Postgres
            }
            Self::Cut { .. } => true,
            Self::SuspendNats { .. } | Self::Wipe { .. } => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill { service } => write!(out, "kill {service}"),
            Self::Suspend { service, lasts, then: Suspended::Continued } => {
                write!(out, "suspend {service} for {lasts:?}")
            }
            Self::Suspend { service, lasts, then: Suspended::Killed } => {
                write!(out, "suspend {service} for {lasts:?}, then kill it")
            }
            Self::SuspendNats { lasts } => write!(out, "suspend NATS for {lasts:?}"),
            Self::Lose { service, backend, lasts } => {
                let service = service.as_deref().unwrap_or("all services");
                write!(out, "lose packets of {service} to {backend:?} for {lasts:?}")
            }
            Self::Cut { lasts } => write!(out, "cut the network to PostgreSQL for {lasts:?}"),
            Self::Restart { backend, lasts } => {
                write!(out, "kill {backend:?}, start it after {lasts:?}")
            }
            Self::Wipe { lasts } => write!(out, "wipe NATS, start it after {lasts:?}"),
            Self::Skew { service, offset } => write!(out, "set {service}'s clock off by {offset}"),
        }
    }
}

/// The kinds of faults that this machine allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Kill,
    Suspend,
    SuspendNats,
    LoseOne,
    LoseAll,
    Cut,
    Restart,
    Wipe,
    Skew,
}

#[derive(Debug)]
pub(crate) struct Faults {
    kinds: Vec<Kind>,
    services: Vec<String>,
    extent: Extent,
}

impl Faults {
    /// The faults that are possible; `report` receives why others are not.
    pub(crate) fn of(stack: &Stack, extent: Extent, report: impl Fn(String)) -> Self {
        // A service is the most frequent victim.
        let mut kinds = vec![Kind::Kill, Kind::Kill, Kind::Suspend, Kind::Restart, Kind::Wipe];
        if extent == Extent::All {
            kinds.extend([Kind::Suspend, Kind::SuspendNats, Kind::LoseOne, Kind::LoseAll]);
            if stack.network().is_some() {
                kinds.push(Kind::Cut);
            } else {
                report("not possible here: a network namespace, which needs root and `ip`".into());
            }
        }
        if faketime::library().is_some() {
            kinds.push(Kind::Skew);
        } else {
            report("not possible here: clock skew, which needs libfaketime".into());
        }
        let services = stack.pids().into_iter().map(|(name, _)| name).collect();
        Self { kinds, services, extent }
    }

    pub(crate) fn choose(&self, random: &mut StdRng) -> Fault {
        let service = self.service(random, |_| true);
        // llm-service has neither server behind it.
        let connected = self.service(random, |service| service != "llm-service");
        let lasts = self.duration(random);
        let backend = if random.random() { Backend::Postgres } else { Backend::Nats };
        // A server that is away longer is the same as one whose packets are lost.
        let restart = Duration::from_millis(random.random_range(0..4_000));
        let then = if random.random() { Suspended::Killed } else { Suspended::Continued };
        let offset = OFFSETS.choose(random).copied().unwrap_or_default();
        match self.kinds.choose(random).copied().unwrap_or(Kind::Kill) {
            Kind::Kill => Fault::Kill { service },
            Kind::Suspend => Fault::Suspend { service, lasts, then },
            Kind::SuspendNats => Fault::SuspendNats { lasts },
            Kind::LoseOne => Fault::Lose { service: Some(connected), backend, lasts },
            Kind::LoseAll => Fault::Lose { service: None, backend, lasts },
            Kind::Cut => Fault::Cut { lasts },
            Kind::Restart => Fault::Restart { backend, lasts: restart },
            Kind::Wipe => Fault::Wipe { lasts: restart },
            Kind::Skew => Fault::Skew { service, offset },
        }
    }

    fn service(&self, random: &mut StdRng, fits: impl Fn(&str) -> bool) -> String {
        let fitting: Vec<&String> = self.services.iter().filter(|one| fits(one)).collect();
        fitting.choose(random).map(|one| (*one).clone()).unwrap_or_default()
    }

    fn duration(&self, random: &mut StdRng) -> Duration {
        let longest = match self.extent {
            Extent::All => 25_000,
            Extent::Short => 3_000,
        };
        Duration::from_millis(random.random_range(500..longest))
    }
}
