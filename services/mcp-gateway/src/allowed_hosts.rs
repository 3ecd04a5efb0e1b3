//! Which hosts a call may name, and where they may lead.
//!
//! A model has read text that anybody may have written, and may obey it. With the policy `enforce`, a call of a tool
//! that reaches addresses is made only if its arguments name hosts, and all of them are allowed: by the policy, or by
//! the alert, whose hosts are only read. Whatever the policy is, no call of a model leads to the metadata service of a
//! cloud that is not listed. The calls of a person, and those that a person approved, may name every host.

mod leads;
mod named;
mod reading;

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::{Map, Value};
use tarsy_catalog::{Accept, PolicyMode, ToolPolicy};
use tarsy_contracts::mcp::{Caller, Requirement, Tool, ToolReach};
use tarsy_hosts::{Host, HostList, Reach};

use self::leads::Lead;
use self::named::{address, bare, collect, in_doubt, of_unstated, only_word};
use crate::text::truncate;

/// The longest address in a message, in bytes.
const SHOWN_BYTES: usize = 100;
/// The most different hosts of a call: each is looked up.
const MAX_HOSTS: usize = 32;

/// Whether a person has approved a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    Given,
    None,
}

impl Approval {
    /// A call that needs an approval and has a permit was approved; one that is judged to read needs none.
    pub(crate) fn of(tool: &Tool, permit: Option<&str>) -> Self {
        match tool.terms.requirement {
            Requirement::Approval if permit == Some(&tool.terms.definition) => Self::Given,
            _ => Self::None,
        }
    }
}

/// What is checked of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// Only allowed hosts, and where their names lead.
    Allowed,
    /// No metadata service, by its name or its address or as the end of a name.
    NotRestricted,
    /// Where names lead: whoever approved the call has seen the names alone.
    Leads,
    None,
}

/// Who resolves the names of a call's hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// This gateway, before the call.
    Here,
    /// The server, which has the same lists and connects to what it has checked.
    AtServer,
}

/// The hosts that a call of a tool may name.
#[derive(Debug)]
pub(crate) struct AllowedHosts {
    reach: Reach,
    limit: Limit,
    /// Whether a tool of an unknown class that runs was accepted with its annotations.
    is_accepted: bool,
}

impl AllowedHosts {
    pub(crate) fn of(policy: &ToolPolicy, caller: &Caller, approval: Approval) -> Self {
        let (listed, every) = (policy.host_list(), || HostList::any().and(policy.host_list()));
        let (reach, limit) = match caller {
            // Whoever approved the call has seen its arguments.
            Caller::Model { .. } if approval == Approval::Given => {
                (Reach::new(every(), []), Limit::Leads)
            }
            Caller::Model { alert_hosts } if policy.mode == PolicyMode::Enforce => {
                let of_alert = alert_hosts.iter().filter(|_| policy.alert_hosts);
                let of_alert = of_alert.filter_map(|text| Host::parse(text));
                (Reach::new(listed, of_alert), Limit::Allowed)
            }
            Caller::Model { .. } => (Reach::new(every(), []), Limit::NotRestricted),
            // Such a call reaches no server.
            Caller::Replay => (Reach::default(), Limit::Allowed),
            Caller::Person => (Reach::new(every(), []), Limit::None),
        };
        Self { reach, limit, is_accepted: policy.accept == Accept::Listed }
    }

    /// Why a call may not be made with these arguments; none if it may.
    pub(crate) async fn refusal(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        resolution: Resolution,
    ) -> Option<String> {
        let fault = match self.named(tool, arguments) {
            Err(fault) => Some(fault),
            Ok(_) if resolution == Resolution::AtServer => None,
            Ok(hosts) => self.misled(leads::of(hosts).await),
        };
        fault.map(|fault| explain(tool, fault))
    }

    /// What the operator allows, as entries of a list.
    pub(crate) fn listed(&self) -> Vec<String> {
        self.reach.listed().entries().collect()
    }

    /// What the alert allows beside it.
    pub(crate) fn of_alert(&self) -> Vec<String> {
        self.reach.of_alert().entries().collect()
    }

    /// The hosts that a call names, if it may name them.
    fn named(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<BTreeSet<Host>, Fault> {
        let reach = tool.terms.reach;
        let hosts: BTreeSet<Host> = match self.limit {
            Limit::None => return Ok(BTreeSet::new()),
            Limit::Allowed => allowed(reach, arguments, &self.reach)?,
            Limit::NotRestricted | Limit::Leads => {
                let (clear, in_doubt) = named_plainly(reach, arguments);
                let restricted = in_doubt.into_iter().find(|host| self.is_restricted(host));
                match restricted {
                    Some(host) if self.limit == Limit::NotRestricted => {
                        return Err(Fault::Restricted(host));
                    }
                    _ => clear,
                }
            }
        };
        if hosts.len() > MAX_HOSTS {
            return Err(Fault::TooMany);
        }
        match hosts.iter().find(|host| self.is_restricted(host)) {
            Some(host) if self.limit == Limit::NotRestricted => {
                return Err(Fault::Restricted(host.clone()));
            }
            _ => {}
        }
        let alone = hosts.iter().find(|host| self.reach.is_of_alert_alone(host));
        match alone {
            Some(host) if !reading::reads(tool, arguments, self.is_accepted) => {
                Err(Fault::MayChange(host.clone()))
            }
            _ => Ok(hosts),
        }
    }

    fn is_restricted(&self, host: &Host) -> bool {
        host.is_restricted() && !self.reach.contains(host)
    }

    /// The first host that leads where it may not, or nowhere that is known.
    fn misled(&self, leads: Vec<Lead>) -> Option<Fault> {
        leads.into_iter().find_map(|Lead { host, addresses }| match addresses {
            None => self.reach.is_of_alert_alone(&host).then_some(Fault::Unresolved(host)),
            Some(addresses) => {
                let foreign = |address: &IpAddr| !self.reach.permits(&host, *address);
                let address = addresses.into_iter().find(foreign)?;
                Some(Fault::LeadsTo(host, address))
            }
        })
    }
}

/// The message for a model and a person.
fn explain(tool: &Tool, fault: Fault) -> String {
    let (name, server) = (tool.full_name(), &tool.server);
    let why = match tool.terms.reach {
        ToolReach::AnyHost => format!("it reaches any host ({})", tool.terms.reach_reason),
        ToolReach::OwnSystem | ToolReach::Unstated => "it may reach the address".to_owned(),
    };
    format!(
        "The tool '{name}' was not called: {why}, and {} (policy of the server '{server}'). Do not retry it \
         with this host; use another tool, or report what could not be done.",
        fault.explain()
    )
}

/// Why the hosts of a call are not allowed.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    NoHost,
    TooMany,
    Unclear(String),
    NotAllowed(Host),
    /// A metadata service.
    Restricted(Host),
    /// Only the alert names it, and the call may change something.
    MayChange(Host),
    /// Only the alert names it, and it has no address here.
    Unresolved(Host),
    LeadsTo(Host, IpAddr),
}

impl Fault {
    fn explain(self) -> String {
        let shown = |host: Host| truncate(host.to_string(), SHOWN_BYTES);
        match self {
            Self::NoHost => "its arguments name no host that can be checked".to_owned(),
            Self::TooMany => format!("its arguments name more than {MAX_HOSTS} hosts"),
            Self::Unclear(text) => {
                format!("{:?} has no host that can be checked", truncate(text, SHOWN_BYTES))
            }
            Self::NotAllowed(host) => {
                let host = shown(host);
                format!("{host} is neither listed in policy.hosts nor a host of the alert")
            }
            Self::Restricted(host) => {
                format!("{} is a metadata service that policy.hosts does not list", shown(host))
            }
            Self::MayChange(host) => format!(
                "{} is a host of the alert that policy.hosts does not list: it may only be read, and this call is not \
                 known to read",
                shown(host)
            ),
            Self::Unresolved(host) => format!(
                "{}, a host of the alert that policy.hosts does not list, has no address here, so that nobody knows \
                 where it leads",
                shown(host)
            ),
            Self::LeadsTo(host, address) => format!(
                "{} leads to {address}, an address of a metadata service or of the machine itself that policy.hosts \
                 does not list",
                shown(host)
            ),
        }
    }
}

/// The hosts of a call, if all of them are allowed.
fn allowed(
    reach: ToolReach,
    arguments: &Map<String, Value>,
    hosts: &Reach,
) -> Result<BTreeSet<Host>, Fault> {
    let mut named = Vec::new();
    match reach {
        ToolReach::OwnSystem => {}
        ToolReach::Unstated => collect(arguments, &mut named, &of_unstated),
        ToolReach::AnyHost => {
            collect(arguments, &mut named, &address);
            match (named.is_empty(), only_word(arguments)) {
                (true, Some(text)) => named.push(bare(text)),
                (true, None) if !hosts.listed().is_any() => return Err(Fault::NoHost),
                _ => {}
            }
        }
    }
    let checked = named.into_iter().map(|host| match host {
        Ok(host) if hosts.contains(&host) => Ok(host),
        Ok(host) => Err(Fault::NotAllowed(host)),
        Err(text) => Err(Fault::Unclear(text)),
    });
    checked.collect()
}

/// The hosts of a call that may name any: of addresses, not of words that look like one; and those that addresses in doubt
/// might have.
fn named_plainly(reach: ToolReach, arguments: &Map<String, Value>) -> (BTreeSet<Host>, Vec<Host>) {
    let mut named = Vec::new();
    match reach {
        ToolReach::OwnSystem => {}
        ToolReach::Unstated => collect(arguments, &mut named, &of_unstated),
        ToolReach::AnyHost => collect(arguments, &mut named, &named::plainly),
    }
    let (mut clear, mut doubtful) = (BTreeSet::new(), Vec::new());
    for one in named {
        match one {
            Ok(host) => {
                clear.insert(host);
            }
            Err(text) => doubtful.extend(in_doubt(&text)),
        }
    }
    (clear, doubtful)
}

#[cfg(test)]
mod tests;
