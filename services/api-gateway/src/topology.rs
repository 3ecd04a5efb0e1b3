//! Keeps what depends on what: that of the configuration when this service starts or its configuration changes, and edges that
//! others report, masked.

use serde_json::Value;
use tarsy_catalog::Topology;
use tarsy_domain::dependency::Relation;
use tarsy_intake::Dependency;
use tarsy_store::{Error, NewDependency, Store, Unreported};
use tarsy_web::{FieldError, Problem};

use crate::masking::{AlertMasker, Error as MaskingError};
use crate::state::AppState;

/// The source of what `tarsy.yaml` has.
const CONFIGURATION: &str = "tarsy.yaml";
/// The most edges of one request.
const MAX_EDGES: usize = 1000;
/// The field of what is wrong as a whole.
const BODY: &str = "the body";
/// The longest name of a source, in characters.
const MAX_SOURCE: usize = 200;
/// The longest name, in characters.
const MAX_NAME: usize = 253;

/// Replaces what the configuration had before.
pub(crate) async fn keep(store: &Store, topology: &Topology) -> Result<(), Error> {
    let edges = configured(topology);
    store.record_dependencies(CONFIGURATION, edges, Unreported::Delete, None).await?;
    Ok(())
}

fn configured(topology: &Topology) -> Vec<NewDependency> {
    let edges = topology.services.iter().flat_map(|(name, service)| {
        let calls = service.calls.iter().map(|to| (Relation::Calls, to));
        let uses = service.uses.iter().map(|to| (Relation::Uses, to));
        calls.chain(uses).map(|(relation, to)| NewDependency {
            from: name.clone(),
            relation,
            to: to.clone(),
            namespace: service.namespace.clone(),
            to_namespace: topology.services.get(to).and_then(|one| one.namespace.clone()),
            cluster: None,
            environment: service.environment.clone(),
            team: service.team.clone(),
        })
    });
    edges.collect()
}

/// The edges of a service graph: a list, or an object with one as `data` or `edges`. Each has `parent` and `child`, as Jaeger's
/// `/api/dependencies` has them, or `client` and `server`, as metrics of OpenTelemetry's service graph do.
pub(crate) fn edges_of(body: &Value) -> Result<Vec<NewDependency>, FieldError> {
    let listed =
        |name: &'static str| body.get(name).and_then(Value::as_array).map(|list| (name, list));
    let list = body
        .as_array()
        .map(|list| ("", list))
        .or_else(|| listed("data"))
        .or_else(|| listed("edges"));
    let Some((field, list)) = list else {
        let fix = "send a list of edges, or an object with one as `data` or `edges`";
        return Err(FieldError::new(BODY, fix));
    };
    if list.len() > MAX_EDGES {
        let problem = format!("has {} edges; send at most {MAX_EDGES} at once", list.len());
        let field = if field.is_empty() { BODY } else { field };
        return Err(FieldError::new(field, problem));
    }
    let edges = list.iter().enumerate().map(|(at, edge)| edge_of(&format!("{field}[{at}]"), edge));
    let edges = edges.collect::<Result<Vec<_>, _>>()?;
    // A service that calls itself shows nothing.
    Ok(edges.into_iter().filter(|edge| edge.from != edge.to).collect())
}

fn edge_of(field: &str, edge: &Value) -> Result<NewDependency, FieldError> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| edge.get(*name)).and_then(Value::as_str);
        found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let required = |names: &[&str]| {
        let name = text(names)
            .filter(|name| name.chars().count() <= MAX_NAME && !name.contains(char::is_whitespace));
        let [first, ..] = names else { return Err(FieldError::new(field, "is empty")) };
        name.ok_or_else(|| {
            let problem = format!("is not the name of a service; write one without blanks, up to {MAX_NAME} characters");
            FieldError::new(format!("{field}.{first}"), problem)
        })
    };
    let optional = |name: &str| text(&[name]).map(|text| text.chars().take(MAX_NAME).collect());
    Ok(NewDependency {
        from: required(&["parent", "client", "from"])?,
        relation: Relation::Calls,
        to: required(&["child", "server", "to"])?,
        namespace: optional("namespace"),
        to_namespace: optional("to_namespace"),
        cluster: optional("cluster"),
        environment: optional("environment"),
        team: None,
    })
}

/// Those of a source; one of a relation that is not known is left out.
pub(crate) fn of_source(found: Vec<Dependency>) -> Vec<NewDependency> {
    let read = |one: Dependency| {
        Some(NewDependency {
            from: one.from,
            relation: one.relation.parse().ok()?,
            to: one.to,
            namespace: one.namespace,
            to_namespace: None,
            cluster: one.cluster,
            environment: None,
            team: None,
        })
    };
    found.into_iter().filter_map(read).collect()
}

/// Keeps what a source reports now, masked; returns how many there are.
pub(crate) async fn record(
    app: &AppState,
    source: &str,
    edges: Vec<NewDependency>,
) -> Result<u64, Problem> {
    let edges = masked(edges, &app.masker)?;
    let source: String = source.chars().take(MAX_SOURCE).collect();
    let now = Some(app.clock.now());
    Ok(app.store.record_dependencies(&source, edges, Unreported::Keep, now).await?)
}

/// The edges without secrets. A text that cannot be masked is an error: nothing of the request is kept.
fn masked(
    edges: Vec<NewDependency>,
    masker: &AlertMasker,
) -> Result<Vec<NewDependency>, MaskingError> {
    let mask = |text: Option<String>| text.map(|text| masker.mask(text)).transpose();
    let edges = edges.into_iter().map(|edge| {
        Ok(NewDependency {
            from: masker.mask(edge.from)?,
            to: masker.mask(edge.to)?,
            namespace: mask(edge.namespace)?,
            to_namespace: mask(edge.to_namespace)?,
            cluster: mask(edge.cluster)?,
            environment: mask(edge.environment)?,
            ..edge
        })
    });
    edges.collect()
}

/// The most dependencies of a session's record: as many as an investigation is given.
const MAX_RECORDED: usize = 50;

/// Masks the dependencies of a record that was made elsewhere; those that are too many are left out.
pub(crate) fn mask_recorded(
    dependencies: &mut Vec<tarsy_contracts::dependency::Dependency>,
    masker: &AlertMasker,
) -> Result<(), MaskingError> {
    dependencies.truncate(MAX_RECORDED);
    for one in dependencies {
        let texts = [
            &mut one.namespace,
            &mut one.to_namespace,
            &mut one.cluster,
            &mut one.environment,
            &mut one.team,
        ];
        let names = [&mut one.from, &mut one.to, &mut one.source];
        for text in texts.into_iter().flatten().chain(names) {
            *text = masker.mask(std::mem::take(text))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_catalog::Service;

    use super::*;

    fn pairs(edges: &[NewDependency]) -> Vec<(&str, &str)> {
        edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect()
    }

    #[test]
    fn edges_are_read_in_the_forms_of_jaeger_and_of_service_graphs() {
        let jaeger = json!({"data": [
            {"parent": "checkout", "child": "payments", "callCount": 12},
            {"parent": "payments", "child": "payments", "callCount": 3},
        ]});
        assert_eq!(pairs(&edges_of(&jaeger).unwrap()), [("checkout", "payments")]);
        let graph = json!([{"client": "web", "server": "checkout", "namespace": "shop"}]);
        let edges = edges_of(&graph).unwrap();
        assert_eq!(
            (pairs(&edges), edges[0].namespace.as_deref()),
            (vec![("web", "checkout")], Some("shop"))
        );
    }

    #[test]
    fn what_is_wrong_is_named_by_its_field() {
        let field = |body: Value| edges_of(&body).unwrap_err().field;
        assert_eq!(field(json!({"edges": [{"parent": "a", "child": ""}]})), "edges[0].child");
        assert_eq!(field(json!([{"parent": "a b", "child": "c"}])), "[0].parent");
        assert_eq!(field(json!({"parent": "a"})), "the body");
        let many = vec![json!({"parent": "a", "child": "b"}); MAX_EDGES + 1];
        assert_eq!(field(json!({ "data": many })), "data");
    }

    #[test]
    fn the_configuration_has_an_edge_for_each_call_and_use() {
        let service = |calls: &[&str], namespace: &str| Service {
            calls: calls.iter().map(|name| (*name).to_owned()).collect(),
            namespace: Some(namespace.to_owned()),
            ..Service::default()
        };
        let checkout = Service {
            uses: vec!["PersistentVolumeClaim/carts".to_owned()],
            ..service(&["payments", "mail.example.com"], "shop")
        };
        let services =
            [("checkout".to_owned(), checkout), ("payments".to_owned(), service(&[], "bank"))];
        let topology = Topology { services: services.into(), ..Topology::default() };
        let edges = configured(&topology);
        let expected = ["payments", "mail.example.com", "PersistentVolumeClaim/carts"];
        assert_eq!(pairs(&edges), expected.map(|to| ("checkout", to)));
        assert_eq!(edges[0].to_namespace.as_deref(), Some("bank"));
        assert_eq!((edges[1].to_namespace.as_deref(), edges[2].relation), (None, Relation::Uses));
    }
}
