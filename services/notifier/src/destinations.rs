//! The configured destinations and their channels.

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_catalog::Destination;

use crate::channel::{Approvals, Channel, ChannelContext};
use crate::channels;

/// The destinations of the configuration; cheap to clone.
#[derive(Clone)]
pub(crate) struct Destinations(Arc<BTreeMap<String, Opened>>);

pub(crate) struct Opened {
    pub(crate) settings: Destination,
    pub(crate) channel: Box<dyn Channel>,
}

impl Destinations {
    pub(crate) fn open(
        destinations: Vec<Destination>,
        context: &ChannelContext<'_>,
    ) -> anyhow::Result<Self> {
        let opened = destinations.into_iter().map(|settings| {
            let channel = channels::open(&settings.target, context)?;
            Ok((settings.name.clone(), Opened { settings, channel }))
        });
        Ok(Self(Arc::new(opened.collect::<anyhow::Result<_>>()?)))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// The names of those whose channels do this with calls that wait for approval.
    pub(crate) fn names_with(&self, approvals: Approvals) -> Vec<String> {
        let named = self.0.iter().filter(|(_, opened)| opened.channel.approvals() == approvals);
        named.map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Opened> {
        self.0.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Opened> {
        self.0.values()
    }
}
