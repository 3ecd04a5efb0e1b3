//! Where a call may go, by who named its host.

use std::net::IpAddr;

use crate::host::Host;
use crate::list::HostList;
use crate::network::{Network, is_restricted};

/// The hosts that a call may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    listed: HostList,
    of_alert: HostList,
}

impl Reach {
    /// What the operator lists, and what an alert names: of that, metadata services and this machine are left out.
    pub fn new(listed: HostList, of_alert: impl IntoIterator<Item = Host>) -> Self {
        let of_alert = of_alert.into_iter().filter(Host::may_be_of_alert);
        Self { listed, of_alert: HostList::of(of_alert) }
    }

    /// What the operator lists.
    pub const fn listed(&self) -> &HostList {
        &self.listed
    }

    /// What an alert names.
    pub const fn of_alert(&self) -> &HostList {
        &self.of_alert
    }

    /// Whether a call may name a host.
    pub fn contains(&self, host: &Host) -> bool {
        self.listed.contains(host) || self.of_alert.contains(host)
    }

    /// Whether a call may name a host for no other reason than that an alert names it: then it may only read.
    pub fn is_of_alert_alone(&self, host: &Host) -> bool {
        !self.listed.contains(host) && self.of_alert.contains(host)
    }

    /// Whether an address that a host leads to may be connected to. A metadata service only if its address is listed; this
    /// machine only if the name or the address is listed.
    pub fn permits(&self, host: &Host, address: IpAddr) -> bool {
        if self.listed.contains(&Host::Address(address.to_canonical())) {
            return true;
        }
        match Network::of(address) {
            Network::Metadata => false,
            Network::Loopback | Network::Unspecific => self.listed.contains(host),
            Network::Public | Network::Private | Network::Reserved => true,
        }
    }
}

impl Host {
    /// Whether it is a cloud's metadata service, by its name or its address.
    pub fn is_restricted(&self) -> bool {
        match self {
            Self::Name(name) => crate::names::is_metadata(name),
            Self::Address(address) => is_restricted(*address),
        }
    }

    /// Whether it is this machine, or no single one, by its name or its address.
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => crate::names::is_loopback(name),
            Self::Address(address) => {
                matches!(Network::of(*address), Network::Loopback | Network::Unspecific)
            }
        }
    }

    /// Whether an alert may name it as its own: whoever wrote the alert chooses it.
    pub fn may_be_of_alert(&self) -> bool {
        !self.is_restricted() && !self.is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Host {
        Host::parse(text).unwrap()
    }

    #[test]
    fn an_alert_names_neither_a_metadata_service_nor_this_machine_however_it_is_written() {
        for text in [
            "metadata.google.internal",
            "METADATA.google.internal.",
            "metadata",
            "metadata.goog",
            "instance-data.ec2.internal",
            "metadata.tencentyun.com",
            "169.254.169.254",
            "169.254.42.42",
            "0xa9fea9fe",
            "2852039166",
            "0251.0376.0251.0376",
            "[::ffff:a9fe:a9fe]",
            "[fd00:ec2::254]",
            "100.100.100.200",
            "168.63.129.16",
            "localhost",
            "LocalHost.",
            "ⓛocalhost",
            "a.localhost",
            "localhost.localdomain",
            "localhost6.localdomain6",
            "ip6-loopback",
            "host.docker.internal",
            "host.containers.internal",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "0.0.0.0",
            "0",
            "[::]",
            "224.0.0.1",
            "255.255.255.255",
        ] {
            let host = host(text);
            assert!(!host.may_be_of_alert(), "{text}");
            let reach = Reach::new(HostList::default(), [host.clone()]);
            assert!(!reach.contains(&host), "{text}");
        }
        for text in ["web-1", "metadata.shop.example", "mylocalhost", "10.0.0.7", "host.internal"] {
            assert!(host(text).may_be_of_alert(), "{text}");
        }
    }

    #[test]
    fn a_name_of_an_alert_leads_neither_to_this_machine_nor_to_a_metadata_service() {
        let named = host("169.254.169.254.nip.example");
        let listed = HostList::parse(["shop.example", "10.0.0.9", "::1"]).unwrap();
        let reach = Reach::new(listed, [named.clone()]);
        for address in ["10.1.2.3", "9.9.9.9", "2606:4700::1111", "fd12::1"] {
            assert!(reach.permits(&named, address.parse().unwrap()), "{address}");
        }
        for (address, is_permitted_to_a_listed_one) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("0.0.0.0", true),
            ("169.254.169.254", false),
            ("fd00:ec2::254", false),
            ("64:ff9b::a9fe:a9fe", false),
        ] {
            let address = address.parse().unwrap();
            assert!(!reach.permits(&named, address), "{address}");
            let by_list = reach.permits(&host("shop.example"), address);
            assert_eq!(by_list, is_permitted_to_a_listed_one, "{address}");
        }
        assert!(reach.permits(&named, "::1".parse().unwrap()), "the address is listed");
    }

    #[test]
    fn what_the_operator_lists_is_not_the_alerts_alone() {
        let listed = HostList::parse(["*.shop.example"]).unwrap();
        let reach = Reach::new(listed, [host("a.shop.example"), host("web-1")]);
        assert!(!reach.is_of_alert_alone(&host("a.shop.example")));
        assert!(reach.is_of_alert_alone(&host("web-1")));
        assert!(!reach.is_of_alert_alone(&host("web-2")));
    }
}
