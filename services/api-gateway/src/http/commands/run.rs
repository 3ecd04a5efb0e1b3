//! Does what a person wants who may want it.

use http::StatusCode;
use tarsy_catalog::Target;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_store::{CommandOutcome, CommandThread, KeptCommand, NewCommand};
use tarsy_web::{FieldError, Problem};

use super::answers::{self, Answers};
use super::message::Message;
use super::parse::{Command, Investigate};
use crate::access::Principal;
use crate::http::chat::{ask_as, read_text};
use crate::intake::{self, SenderOf};
use crate::notices::Notice;
use crate::quotas;
use crate::state::AppState;
use crate::submission;

/// The most sessions that a status lists of a person, and of others.
const LISTED: usize = 4;

/// What became of a command, for the audit log and the person.
pub(super) struct Done {
    pub(super) status: StatusCode,
    pub(super) text: String,
    /// What the entry of the audit log is about.
    pub(super) session: Option<SessionId>,
    pub(super) kept: Option<KeptCommand>,
}

impl Done {
    fn read(text: String) -> Self {
        Self { status: StatusCode::OK, text, session: None, kept: None }
    }

    fn refused(status: StatusCode, text: String) -> Self {
        Self { status, text, session: None, kept: None }
    }
}

/// A command of a person who may give it.
pub(super) struct Request<'a> {
    pub(super) app: &'a AppState,
    pub(super) answers: Answers<'a>,
    pub(super) sender: &'a Principal,
    pub(super) message: &'a Message,
}

impl Request<'_> {
    pub(super) async fn run(self, command: Command) -> Result<Done, Problem> {
        match command {
            Command::Investigate(alert) => self.investigate(&alert).await,
            Command::Status(session) => self.status(session).await,
            Command::Ask(session, question) => self.ask(session, &question).await,
            Command::Help => Ok(Done::read(self.answers.help(&self.app.catalog()))),
            Command::Unknown => {
                let text = self.answers.unknown(&self.app.catalog());
                Ok(Done::refused(StatusCode::BAD_REQUEST, text))
            }
        }
    }

    fn new_command(&self) -> NewCommand {
        let Message { messenger, key, channel, thread, .. } = self.message;
        NewCommand {
            messenger: *messenger,
            key: key.clone(),
            channel: channel.clone(),
            thread: thread.clone(),
        }
    }

    async fn known(&self) -> Result<Option<KeptCommand>, Problem> {
        let Message { messenger, key, .. } = self.message;
        Ok(self.app.store.find_command(*messenger, key).await?)
    }

    /// Begins an investigation, unless the same message has begun it before.
    async fn investigate(&self, alert: &Investigate) -> Result<Done, Problem> {
        if let Some(known) = self.known().await? {
            return Ok(self.begun(known));
        }
        let catalog = self.app.configuration.for_alerts()?;
        let accepted = submission::read(&alert.alert(), None, &catalog, self.sender.sender())
            .map_err(|errors: Vec<FieldError>| Problem::invalid(errors));
        let accepted = match accepted {
            Ok(accepted) => accepted,
            Err(problem) => return Ok(self.not_begun(&problem)),
        };
        if let Err(problem) = quotas::admit_alert(self.app, self.sender, None).await {
            return if problem.status().is_client_error() {
                Ok(self.not_begun(&problem))
            } else {
                Err(problem)
            };
        }
        let of = SenderOf { author: self.sender.name.clone(), principal: self.sender.scope() };
        let session = intake::session(self.app, accepted, of)?;
        let session_id = session.id;
        let stored = self.app.store.add_command(self.new_command(), session);
        Ok(match Box::pin(stored).await? {
            CommandOutcome::Known(known) => self.begun(known),
            CommandOutcome::Begun { events } => {
                self.app.notices.send(Notice::SessionCreated(session_id));
                self.app.publisher.publish(events);
                self.begun(KeptCommand { session_id, question_id: None, is_confirmed: false })
            }
        })
    }

    fn begun(&self, kept: KeptCommand) -> Done {
        let text = self.answers.begun(kept.session_id);
        let (status, session) = (StatusCode::ACCEPTED, Some(kept.session_id));
        Done { status, text, session, kept: Some(kept) }
    }

    fn not_begun(&self, problem: &Problem) -> Done {
        Done::refused(problem.status(), self.answers.not_begun(problem.detail()))
    }

    async fn ask(&self, session: Option<SessionId>, question: &str) -> Result<Done, Problem> {
        if let Some(known) = self.known().await? {
            return Ok(self.asked(known));
        }
        let session = match session {
            Some(session) => Some(session),
            None => self.session_of_thread().await?,
        };
        let Some(session_id) = session else {
            return Ok(Done::refused(StatusCode::BAD_REQUEST, Answers::ask_where()));
        };
        let question = read_text(question);
        let command = Some(self.new_command());
        match Box::pin(ask_as(self.app, self.sender.clone(), session_id, question, command)).await {
            Ok(Some(_)) => {
                // Whoever sees it is answered; the id of the question is of no use here.
                let kept = KeptCommand { session_id, question_id: None, is_confirmed: false };
                Ok(self.asked(kept))
            }
            Ok(None) => match self.known().await? {
                Some(known) => Ok(self.asked(known)),
                None => {
                    Err(Problem::new(Code::Unavailable, "the question is not known yet; try again"))
                }
            },
            Err(problem) if problem.status().is_client_error() => {
                let text = self.answers.not_asked(problem.detail());
                let session = Some(session_id);
                Ok(Done { session, ..Done::refused(problem.status(), text) })
            }
            Err(problem) => Err(problem),
        }
    }

    fn asked(&self, kept: KeptCommand) -> Done {
        let text = self.answers.asked(kept.session_id);
        let (status, session) = (StatusCode::ACCEPTED, Some(kept.session_id));
        Done { status, text, session, kept: Some(kept) }
    }

    async fn status(&self, session: Option<SessionId>) -> Result<Done, Problem> {
        let store = &self.app.store;
        let session = match session {
            Some(session) => Some(session),
            None => self.session_of_thread().await?,
        };
        if let Some(id) = session {
            let Some(detail) = store.find_session_detail(id).await? else {
                return Ok(Done::refused(StatusCode::NOT_FOUND, Answers::no_session(id)));
            };
            return Ok(Done::read(self.answers.status(&detail.item)));
        }
        let own = answers::sessions_of(&self.sender.name, LISTED);
        let own = store.list_sessions(own).await?.items;
        let running = answers::running_sessions(2 * LISTED);
        let mut running = store.list_sessions(running).await?.items;
        running.retain(|one| own.iter().all(|known| known.id != one.id));
        running.truncate(LISTED);
        Ok(Done::read(self.answers.list(&own, &running)))
    }

    /// The session that the thread of the message is about.
    async fn session_of_thread(&self) -> Result<Option<SessionId>, Problem> {
        let Some(thread) = &self.message.thread else { return Ok(None) };
        let channel = &self.message.channel;
        let catalog = self.app.catalog();
        let destinations = catalog.destinations.iter().filter(|one| match &one.target {
            Target::Slack(slack) => slack.channel == *channel,
            Target::Mattermost(mattermost) => mattermost.channel == *channel,
            _ => false,
        });
        let of_thread = CommandThread {
            channel: channel.clone(),
            thread: thread.clone(),
            destinations: destinations.map(|one| one.name.clone()).collect(),
        };
        Ok(self.app.store.find_session_of_thread(&of_thread).await?)
    }
}
