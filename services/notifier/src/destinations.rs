//! The configured destinations and their channels, and the threads of commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_catalog::{Destination, Target};
use tarsy_domain::messenger::Messenger;
use tarsy_store::Place;

use crate::channel::{Approvals, Channel, ChannelContext};
use crate::channels;

/// The names of the destinations that are the threads of commands. An operator's destination has no dot in its name.
const SLACK_THREADS: &str = "slack.commands";
const MATTERMOST_THREADS: &str = "mattermost.commands";

/// The destinations of the configuration; cheap to clone.
#[derive(Clone)]
pub(crate) struct Destinations(Arc<BTreeMap<String, Opened>>);

pub(crate) struct Opened {
    pub(crate) name: String,
    /// What it is notified of; none of threads of commands, which have what was asked for there.
    pub(crate) rules: Option<Destination>,
    /// To the commands of which messenger it sends what follows.
    pub(crate) serves: Option<Messenger>,
    pub(crate) channel: Box<dyn Channel>,
}

impl Opened {
    /// Whether what was asked for there is sent to it.
    pub(crate) fn answers(&self, place: Option<&Place>) -> bool {
        place.is_some_and(|place| self.serves == Some(place.messenger))
    }

    /// Whether its messages are in the same channel.
    fn is_at(&self, place: &Place) -> bool {
        match self.rules.as_ref().map(|rules| &rules.target) {
            Some(Target::Slack(slack)) => {
                place.messenger == Messenger::Slack && slack.channel == place.channel
            }
            Some(Target::Mattermost(mattermost)) => {
                place.messenger == Messenger::Mattermost && mattermost.channel == place.channel
            }
            _ => false,
        }
    }
}

impl Destinations {
    pub(crate) fn open(
        destinations: Vec<Destination>,
        context: &ChannelContext<'_>,
    ) -> anyhow::Result<Self> {
        let teams = context.teams.as_ref().map(|teams| teams.destination.as_str());
        let mut opened = BTreeMap::new();
        for rules in destinations {
            let (name, channel) = (rules.name.clone(), channels::open(&rules.target, context)?);
            let serves = (teams == Some(name.as_str())).then_some(Messenger::Teams);
            let one = Opened { name: name.clone(), rules: Some(rules), serves, channel };
            opened.insert(name, one);
        }
        for (name, messenger) in
            [(SLACK_THREADS, Messenger::Slack), (MATTERMOST_THREADS, Messenger::Mattermost)]
        {
            let Some(channel) = channels::open_threads(messenger, context)? else { continue };
            let name = name.to_owned();
            let one = Opened { name: name.clone(), rules: None, serves: Some(messenger), channel };
            opened.insert(name, one);
        }
        Ok(Self(Arc::new(opened)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// The names of those whose channels do this with calls that wait for approval.
    pub(crate) fn names_with(&self, approvals: Approvals) -> Vec<String> {
        let named = self.0.iter().filter(|(_, opened)| opened.channel.approvals() == approvals);
        named.map(|(name, _)| name.clone()).collect()
    }

    /// The messengers to whose commands answers are sent.
    pub(crate) fn served(&self) -> Vec<Messenger> {
        self.iter().filter_map(|opened| opened.serves).collect()
    }

    /// The destination that sends to the commands of a messenger.
    pub(crate) fn of(&self, messenger: Messenger) -> Option<&Opened> {
        self.iter().find(|opened| opened.serves == Some(messenger))
    }

    /// Whether a thread in the channel of a destination has what the destination would show beside it.
    pub(crate) fn has_in_thread(&self, opened: &Opened, place: Option<&Place>) -> bool {
        place.is_some_and(|place| opened.is_at(place) && self.of(place.messenger).is_some())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Opened> {
        self.0.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Opened> {
        self.0.values()
    }
}
