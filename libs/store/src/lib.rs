//! All SQL of the product: PostgreSQL is the system of record, and only this crate connects to it.
//!
//! The crate holds statements, not decisions: it does not know what a chain, an agent or a subject
//! is. Every write of a session's owner names the owner's [`Fence`]; a fence that is no longer
//! current writes nothing and answers [`Error::Fenced`]. A change and the events that report it
//! are one transaction; what a function returns as `Committed` is committed and may be published.
//!
//! Queries are `&'static str` checked by the tests against a real server, one test a function.
//!
//! ```no_run
//! # async fn claim() -> Result<(), tarsy_store::Error> {
//! use std::time::Duration;
//! let store = tarsy_store::Store::connect("postgres://localhost/tarsy", 8).await?;
//! store.schema_check().await?;
//! if let Some(claim) = store.claim_session("worker-1", Duration::from_secs(30), 5).await? {
//!     store.renew_lease(claim.fence, Duration::from_secs(30)).await?;
//! }
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod error;
#[macro_use]
mod session;
mod access;
mod database;
mod delivery;
mod encode;
mod figures;
mod finding;
mod incoming;
mod record;
mod removal;
mod search;
mod work;

pub use access::accepted_tools::AcceptedTools;
pub use access::api_tokens::{ApiToken, NewApiToken};
pub use access::audit::{ActionValues, AuditEntry, AuditQuery, DecidedCall, NewAuditEntry};
pub use access::oauth::LockedToken;
pub use access::quotas::{Admission, AlertQuota, DailyTokens, SpentBy};
pub use access::roles::{DatabaseRole, Grant, ROLES, role_creation, role_grants};
pub use access::secret;
pub use access::secret::Digest;
pub use access::sign_ins::{NewSignIn, SignIn, SignInEnd};
pub use access::triage::decision::TriageChange;
pub use access::triage::{MAX_TRIAGE_ENTRIES, TriageOutcome};
pub use database::migrations::schema_digest;
pub use database::pool::PoolLimits;
pub use database::store::Store;
pub use delivery::commands::{CommandOutcome, CommandThread, KeptCommand, NewCommand};
pub use delivery::dead_letters::{DeadLetter, NewDeadLetter};
pub use delivery::notifications::NotificationKind;
pub use delivery::notifications::answers::{NotifiedAnswer, Place, UnnotifiedAnswer};
pub use delivery::notifications::approvals::{
    NewApprovalNotification, NotifiedApproval, UnnotifiedApproval,
};
pub use delivery::notifications::discovery::{NewNotification, UnnotifiedSession};
pub use delivery::notifications::dispatch::{AlertSource, Notification, SendAttempt};
pub use delivery::notifications::finish::NotificationOutcome;
pub use delivery::notifications::reviews::{NotifiedReview, UnnotifiedReview};
pub use delivery::notifications::rollbacks::UnnotifiedRollback;
pub use delivery::notifications::sharing::ShareOutcome;
pub use delivery::notifications::triage::{NotifiedTriage, UnnotifiedTriage};
pub use delivery::weekly::WeeklyDelivery;
pub use error::{Conflict, Error};
pub use figures::daily_usage::DailyUsage;
pub use figures::overview::OverviewQuery;
pub use figures::usage::Usage;
pub use finding::claims::check::{NewClaim, NewClaimCheck};
pub use finding::claims::evidence::{CallResult, StoredEvidence};
pub use finding::memories::{
    MAX_DIMENSIONS, MAX_MEMORY, Meaning, MemoryCursor, MemoryEdit, MemoryQuery, Unembedded,
    Unfit as UnfitMemory, fit as fit_memory,
};
pub use finding::postmortem::{
    AlertRun, AskedQuestion, CallDecision, IncidentFacts, NumberedCall, ToolFailures,
};
pub use finding::prevention::{
    CauseRow, LastError, PreventionPeriod, PreventionRows, SessionTotals, ToolRow,
};
pub use finding::prose::ProseFence;
pub use finding::prose::request::{MAX_PROSE_REQUESTS, NewProse, ProseRequest};
pub use finding::prose::work::{ProseClaim, ProseEnd, WrittenProse};
pub use finding::recordings::NewRecording;
pub use finding::replays::{NewReplay, RecordedResult, ReplayOutcome};
pub use finding::reviews::{MAX_REVIEWS, NewReview, ReviewOutcome};
pub use finding::scores::ScoreFence;
pub use finding::scores::overview::ScoreDays;
pub use finding::scores::request::{MAX_SCORES, NewScore, ScoreRequest};
pub use finding::scores::work::{Judgement, ScoreClaim, ScoreEnd};
pub use finding::verdicts::material::{CallSummary, VerdictMaterial};
pub use finding::verdicts::new::NewVerdict;
pub use finding::verdicts::{AgentVerdict, SessionVerdict};
pub use incoming::changes::{ChangeQuery, ChangesNear, NewChange};
pub use incoming::dependencies::{DependencyQuery, NewDependency, Unreported};
pub use incoming::intake::attached::AttachedAlerts;
pub use incoming::intake::list::{IntakeQuery, ReceivedAlert};
pub use incoming::intake::{
    HeldAlert, IntakeOutcome, NewAlert, NewAlerts, ReceivedAlerts, RefusalReason, RefusedRequests,
};
pub use incoming::schedules::{KnownSchedule, NewScheduleRun, ScheduleState};
pub use record::batch::action::{ActionEnd, ActionStep, NewAction};
pub use record::batch::approval::Approver;
pub use record::batch::op::{
    CallEnd, Conclusion, ConclusionRequest, DeliveredResult, Dispatched, EndExecution, EndStage,
    Gathering, NewApproval, NewCall, NewExecution, NewLlmInteraction, NewMessage, NewStage,
    NewSummary, NewToolList, Op, ProviderSwitch, ReassignCall, RunbookContent,
};
pub use record::batch::{Batch, CommittedCalls};
pub use record::timeline::{HistoryCall, HistoryEvent};
pub use removal::backup::{
    AppliedMigration, IdentityValue, Restore, RestoreError, RestoreTarget, Snapshot, TableColumns,
    TableWriter,
};
pub use removal::deletion::{DeleteOutcome, DeletedSession};
pub use removal::redaction::{Redaction, RedactionEffect, RedactionPosition, RedactionStep};
pub use removal::retention::{RetainedKind, SessionAges};
pub use search::{SearchCursor, SearchQuery};
pub use session::session_list::{
    FailedTool, REACHABLE_SESSIONS, SessionPage, SessionQuery, SortBy,
};
pub use session::sessions::{Created, NewSession, Session, SessionSettings};
pub use work::actions::{ActionResult, OfferedRollback, OpenAction, RollbackOutcome, RollbackTurn};
pub use work::approvals::{Approval, DecideOutcome, Decider, OpenApproval};
pub use work::cancel::CancelOutcome;
pub use work::chat::claim::ChatClaim;
pub use work::chat::end::ChatEnd;
pub use work::chat::question::{ChatAgent, NewQuestion, QuestionOutcome};
pub use work::fence::Fence;
pub use work::finalize::SessionEnd;
pub use work::injected::InjectedLine;
pub use work::queue::{Claim, ClaimedRow, Renewal};
pub use work::resume::repeated::{CalledTool, EarlierCall};
pub use work::resume::rows::{Call, Execution, Message, Stage, SubExecution};
pub use work::summaries::SummaryUsage;
pub use work::summaries::owner::{AbandonedSummary, Summary};
pub use work::summaries::work::{SummaryClaim, SummaryEnd, SummaryFence};
