//! Where people talk with each other and give commands.

use crate::string_enum::string_enum;

string_enum! {
    /// A service in whose channels people give commands.
    Messenger {
        Slack,
        Mattermost,
        Teams,
    }
}

impl Messenger {
    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Slack => "Slack",
            Self::Mattermost => "Mattermost",
            Self::Teams => "Teams",
        }
    }
}
