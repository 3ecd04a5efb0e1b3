//! The wiring of this service.

use anyhow::Context as _;
use secrecy::SecretString;
use tarsy_catalog::{
    Catalog, Env, IntakeSource, KubernetesChanges, KubernetesTopology, SourceKind,
};
use tarsy_service::{ServiceContext, Settings};
use tokio::sync::mpsc;
use url::Url;

use crate::changes::ChangeWatch;
use crate::connection;
use crate::delivery::{Delivery, Destination, QUEUE, newest};
use crate::topology::TopologyWatch;
use crate::watch::Watch;

/// Whether the service could start with the configuration that its settings name.
pub fn check(settings: &Settings) -> anyhow::Result<()> {
    let catalog = catalog(settings)?;
    secret(settings, source(&catalog, settings.intake_source.as_str())?).map(|_| ())
}

fn catalog(settings: &Settings) -> anyhow::Result<Catalog> {
    let env =
        Env::of(settings.environment().clone()).without_llm_credentials().without_tool_secrets();
    Catalog::load_dir(settings.config_dir.as_deref(), &env.without_slack_token())
        .context("the configuration is not valid")
}

/// Starts the service. It needs no database and no NATS.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let catalog = catalog(&settings)?;
    let name = settings.intake_source.as_str();
    let source = source(&catalog, name)?;
    let secret = secret(&settings, source)?;
    let base = settings.url.context("TARSY_URL is not set; write http://api-gateway:8080")?;
    let rules = source.events.clone().unwrap_or_default();
    let config = kube::Config::infer()
        .await
        .context("no cluster: run in a pod with a service account, or set KUBECONFIG")?;
    let client = connection::client(config)?;

    let (sender, queue) = mpsc::channel(QUEUE);
    let to = Destination {
        url: address(&base, name)?,
        secret,
        cluster: rules.cluster.clone(),
        list: "EventList",
    };
    if let Some(changes) = source.changes.clone() {
        let to = Destination { list: "ChangeList", ..to.clone() };
        watch_changes(client.clone(), changes, to, &service)?;
    }
    if let Some(rules) = source.topology.clone() {
        let to = Destination { list: "DependencyList", ..to.clone() };
        list_topology(client.clone(), rules, to, &service)?;
    }
    let delivery = Delivery::new(to, service.health().clone(), service.stopping())?;
    let watch = Watch {
        client,
        rules,
        queue: sender,
        clock: service.clock(),
        health: service.health().clone(),
        stopping: service.stopping(),
    };
    service.spawn("watch", async move {
        watch.run().await;
        Ok(())
    });
    service.spawn("delivery", async move {
        delivery.run(queue, newest).await;
        Ok(())
    });
    Ok(())
}

/// Begins to watch objects, and to send what changes of them.
fn watch_changes(
    client: kube::Client,
    rules: KubernetesChanges,
    to: Destination,
    service: &ServiceContext,
) -> anyhow::Result<()> {
    let (sender, queue) = mpsc::channel(QUEUE);
    let watch = ChangeWatch {
        client,
        rules,
        cluster: to.cluster.clone(),
        queue: sender,
        clock: service.clock(),
        stopping: service.stopping(),
    };
    let delivery = Delivery::new(to, service.health().clone(), service.stopping())?;
    service.spawn("changes", async move {
        watch.run().await;
        Ok(())
    });
    service.spawn("changes.delivery", async move {
        delivery.run(queue, std::mem::take).await;
        Ok(())
    });
    Ok(())
}

/// Begins to list objects, and to send what depends on what.
fn list_topology(
    client: kube::Client,
    rules: KubernetesTopology,
    to: Destination,
    service: &ServiceContext,
) -> anyhow::Result<()> {
    let (sender, queue) = mpsc::channel(QUEUE);
    let watch = TopologyWatch { client, rules, queue: sender, stopping: service.stopping() };
    let delivery = Delivery::new(to, service.health().clone(), service.stopping())?;
    service.spawn("topology", async move {
        watch.run().await;
        Ok(())
    });
    service.spawn("topology.delivery", async move {
        delivery.run(queue, std::mem::take).await;
        Ok(())
    });
    Ok(())
}

fn source<'a>(catalog: &'a Catalog, name: &str) -> anyhow::Result<&'a IntakeSource> {
    let source = catalog.intake.sources.get(name).with_context(|| {
        format!("intake.sources of tarsy.yaml has no {name:?}, which TARSY_INTAKE_SOURCE names")
    })?;
    anyhow::ensure!(
        source.kind == SourceKind::Kubernetes,
        "intake.sources.{name} is not of kind kubernetes"
    );
    Ok(source)
}

fn secret(settings: &Settings, source: &IntakeSource) -> anyhow::Result<SecretString> {
    let variable = source.secret_env.as_deref().context("the source has no secret_env")?;
    let secret = settings.environment().get(variable).map(|text| text.trim());
    let secret = secret.filter(|text| !text.is_empty()).with_context(|| {
        format!("{variable} is not set; it holds the secret of the source, as for api-gateway")
    })?;
    Ok(secret.to_owned().into())
}

fn address(base: &Url, source: &str) -> anyhow::Result<Url> {
    let base = base.as_str().trim_end_matches('/');
    format!("{base}/api/v1/intake/{source}").parse().context("TARSY_URL is no address")
}
