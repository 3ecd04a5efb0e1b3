//! A message to the app, and what it is answered.

use tarsy_domain::messenger::Messenger;
use tarsy_web::Problem;

/// A message to the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::http) struct Message {
    pub(in crate::http) messenger: Messenger,
    /// By which it is known when it is delivered again.
    pub(in crate::http) key: String,
    /// Of Slack a workspace, of Mattermost a team, of Teams a tenant.
    pub(in crate::http) workspace: Option<String>,
    pub(in crate::http) user: String,
    pub(in crate::http) channel: String,
    /// The thread that it is in, or that its answers begin; none where it is no message, as a slash command.
    pub(in crate::http) thread: Option<String>,
    /// Plain.
    pub(in crate::http) text: String,
}

/// Who reads an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Audience {
    Thread,
    /// Whoever gave the command, where the messenger can answer one person alone.
    Person,
}

/// What is answered to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::http) struct Answer {
    /// In the markup of the messenger.
    pub(in crate::http) text: String,
    pub(in crate::http) audience: Audience,
    /// The command has begun something, and its person has no answer yet.
    pub(in crate::http) is_unconfirmed: bool,
}

/// What is answered within the request, and to whom. Messengers that send nothing again are answered in any case.
pub(in crate::http) fn answer_of(answer: Result<Answer, Problem>) -> (String, Audience) {
    match answer {
        Ok(answer) => (answer.text, answer.audience),
        Err(problem) => {
            let detail = problem.detail();
            let text = format!(
                "No answer: {detail}. See with `status` whether it has begun, else write it again."
            );
            (text, Audience::Person)
        }
    }
}
