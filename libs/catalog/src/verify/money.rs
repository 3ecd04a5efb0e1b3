//! A budget in money needs a price of every model that it is to limit.

use crate::catalog::Catalog;
use crate::chain::Chain;
use crate::doc::Doc;
use crate::layers::Layers;
use crate::path::Path;
use crate::report::Problem;
use crate::resolver::Resolver;
use crate::selection::Requested;

/// Checks that chains with a budget in money call no model without a price, whose calls would count as nothing.
pub(crate) fn check_money(layers: &Layers, catalog: &Catalog) -> Vec<Problem> {
    let doc = &layers.user.tarsy.doc;
    let key = |at: Path| at.key("budget").key("cost_usd");
    let of_defaults = key(Path::of(["defaults"]));
    let mut problems: Vec<Problem> = Vec::new();
    for (id, chain) in &catalog.chains {
        let own = key(Path::of(["agent_chains", id]));
        let at = if chain.budget.cost_usd.is_some() { &own } else { &of_defaults };
        if chain.budget.applied_to(catalog.defaults.budget).cost_usd.is_none()
            || problems.iter().any(|one| one.key == at.to_string())
        {
            continue;
        }
        problems.extend(unpriced(catalog, chain).map(|name| problem(doc, at, id, &name)));
    }
    problems
}

/// The first provider without a price that a session of this chain may call.
fn unpriced(catalog: &Catalog, chain: &Chain) -> Option<String> {
    let whole = Resolver { catalog, chain, requested: Requested::default() }.chain("");
    whole.providers().find(|one| !one.has_price()).map(|one| one.name.clone())
}

fn problem(doc: &Doc, at: &Path, chain: &str, provider: &str) -> Problem {
    let place = doc.place(at);
    Problem {
        file: doc.file.clone(),
        line: place.line,
        column: place.column,
        key: at.to_string(),
        message: format!(
            "the chain \"{chain}\" calls the provider \"{provider}\", which has no price: its calls would count as nothing"
        ),
        suggestion: Some(format!(
            "add `price:` to llm_providers.{provider}, or its model to system.cost_estimation.model_rates"
        )),
    }
}
