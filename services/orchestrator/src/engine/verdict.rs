//! The verdict of a session: what was found, typed. The offline analyst reaches it with its conclusion; a model is asked for
//! it after the chain. A session completes without it, too.

mod answer;
mod charts;
mod explained;
mod fields;
mod model;
mod rules;

use tarsy_catalog::ResolvedChain;
use tarsy_domain::verdict::VerdictFailure;
use tarsy_store::Op;

use crate::engine::context::Context;
pub(crate) use crate::engine::verdict::answer::object_in;
pub(crate) use crate::engine::verdict::fields::{Fields, text};
pub(crate) use crate::engine::verdict::model::repair;
use crate::engine::verdict::rules::Concluded;
pub(crate) use crate::engine::verdict::rules::of_agent;
use crate::journal::StopReason;
use crate::metrics;

/// Records the verdict, unless an earlier owner has. The inner error is the reason why there is none.
pub(crate) async fn record(
    ctx: &Context,
    chain: &ResolvedChain,
    analysis: &str,
) -> Result<Result<(), VerdictFailure>, StopReason> {
    let session = ctx.journal.session();
    let stored = ctx.journal.read(|store| store.find_session_verdict(session)).await?;
    if stored.verdict.is_some() {
        return Ok(Ok(()));
    }
    let recorded = if chain.verdict {
        match rules::concluded(ctx, chain).await? {
            Concluded::ByRules(Ok(id)) => {
                ctx.journal.commit(vec![Op::SetVerdict(id)]).await?;
                Ok(())
            }
            Concluded::ByRules(Err(failure)) => Err(failure),
            Concluded::ByModel => Box::pin(model::record(ctx, chain, analysis)).await?,
        }
    } else {
        Err(VerdictFailure::SwitchedOff)
    };
    metrics::verdict(recorded.err().map_or("recorded", VerdictFailure::as_str));
    Ok(recorded)
}
