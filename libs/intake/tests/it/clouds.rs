//! Azure Monitor and Google Cloud Monitoring.

use serde_json::json;
use tarsy_intake::{Content, Kind, Status};

use crate::support::{alert, changed, identity, pairs, payload, time, titles, with};

const TARGET: &str = "/data/essentials/alertTargetIDs/0";

#[test]
fn an_alert_of_azure_becomes_an_alert() {
    let alert = alert(Kind::AzureMonitor, &payload("azuremonitor"));
    assert_eq!(alert.title, "CPU of virtual machines on checkout-1");
    assert_eq!((alert.severity.as_deref(), alert.status), (Some("sev1"), Status::Firing));
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.starts_at, time("2026-11-24T12:00:24.371321Z"));
    assert_eq!(alert.annotations["description"], "The average of five minutes is above 90 %");
    assert_eq!(
        pairs(&alert.labels),
        "ResourceId=3efad9dc-3d50-4eac-9c87-8b3fd6f97e4e alert_rule=CPU of virtual machines metric=Percentage CPU \
         monitoring_service=Platform resource=checkout-1 resource_group=shop \
         resource_type=microsoft.compute/virtualmachines service=checkout signal=Metric \
         subscription=8f0c1d2e-0000-4000-8000-3d5a6b7c8d9e"
    );
    assert_eq!(titles(&alert), ["Alert"]);
}

#[test]
fn the_same_rule_about_another_machine_is_another_alert_of_azure() {
    let first = alert(Kind::AzureMonitor, &payload("azuremonitor"));
    let id = json!("/subscriptions/8f0c1d2e/providers/Microsoft.AlertsManagement/alerts/other");
    let other_machine = alert(
        Kind::AzureMonitor,
        &with(
            "azuremonitor",
            &[
                ("/data/essentials/alertId", id.clone()),
                (TARGET, json!("/subscriptions/8f0c1d2e/x/checkout-2")),
            ],
        ),
    );
    assert_ne!(other_machine.fingerprint, first.fingerprint);
    assert_ne!(other_machine.group_key, first.group_key);
    // The next time that the same machine is too busy, Azure gives the alert another id.
    let next =
        alert(Kind::AzureMonitor, &with("azuremonitor", &[("/data/essentials/alertId", id)]));
    assert_ne!(next.fingerprint, first.fingerprint);
    assert_eq!(next.group_key, first.group_key);
    let event = alert(
        Kind::AzureMonitor,
        &changed("azuremonitor", "/data/essentials/signalType", "Activity Log"),
    );
    assert_eq!(event.group_key, None, "events of the activity log have nothing in common");
}

#[test]
fn an_alert_of_azure_that_is_over_is_the_same_whatever_the_case_of_its_target() {
    let kind = Kind::AzureMonitor;
    let (begun, _) = identity(&kind, &payload("azuremonitor"));
    let over = alert(
        kind,
        &with(
            "azuremonitor",
            &[
                ("/data/essentials/monitorCondition", json!("Resolved")),
                ("/data/essentials/essentialsVersion", json!("1.0")),
                (
                    TARGET,
                    json!(
                        "/subscriptions/8F0C1D2E-0000-4000-8000-3d5a6b7c8d9e/resourceGroups/SHOP/providers/Microsoft.Compute/virtualMachines/CHECKOUT-1"
                    ),
                ),
            ],
        ),
    );
    assert_eq!((over.fingerprint, over.status), (begun, Status::Resolved));
}

#[test]
fn a_test_of_an_action_group_is_a_test() {
    let id = "/subscriptions/11111111-1111-1111-1111-111111111111/providers/Microsoft.AlertsManagement/alerts/x";
    let test = alert(Kind::AzureMonitor, &changed("azuremonitor", "/data/essentials/alertId", id));
    assert_eq!(test.content, Content::Test);
}

#[test]
fn an_incident_of_google_becomes_an_alert() {
    let alert = alert(Kind::GoogleCloud, &payload("googlecloud"));
    assert!(alert.title.starts_with("CPU utilization for shop-prod checkout-1"), "{}", alert.title);
    assert_eq!((alert.severity.as_deref(), alert.status), (Some("critical"), Status::Firing));
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.source_id.as_deref(), Some("0.opqiw61fsv7p"));
    assert_eq!(alert.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(alert.annotations["documentation"], "See the page about load.");
    assert_eq!(
        pairs(&alert.labels),
        "condition=CPU is above 90 % instance_id=8979287136362607111 instance_name=checkout-1 \
         metric=compute.googleapis.com/instance/cpu/utilization policy=Load of machines project=shop-prod \
         project_id=shop-prod resource=shop-prod checkout-1 resource_type=gce_instance service=checkout team=payments zone=europe-west1-b"
    );
    assert_eq!(titles(&alert), ["Incident"]);
}

#[test]
fn the_same_condition_of_another_machine_is_another_alert_of_google() {
    let kind = Kind::GoogleCloud;
    let (first, _) = identity(&kind, &payload("googlecloud"));
    let over = with(
        "googlecloud",
        &[
            ("/incident/state", json!("CLOSED")),
            ("/incident/ended_at", json!(1_795_521_900)),
            ("/incident/summary", json!("CPU utilization returned to normal with a value of 0.3.")),
        ],
    );
    assert_eq!(identity(&kind, &over), (first.clone(), Status::Resolved));
    assert_eq!(alert(kind.clone(), &over).ends_at, time("2026-11-24T12:05:00Z"));
    let again = changed("googlecloud", "/incident/incident_id", "0.other");
    assert_eq!(identity(&kind, &again).0, first, "each incident of one time series has another id");
    let other = with(
        "googlecloud",
        &[
            ("/incident/resource_id", json!("1")),
            ("/incident/resource/labels/instance_id", json!("1")),
            ("/incident/metric/labels/instance_name", json!("checkout-2")),
        ],
    );
    assert_ne!(identity(&kind, &other).0, first);
    // A condition about all machines together has no labels.
    let whole = |id: &str| {
        let none = json!({});
        let changes = [
            ("/incident/incident_id", json!(id)),
            ("/incident/resource_id", json!("")),
            ("/incident/resource/labels", none.clone()),
            ("/incident/metric/labels", none),
        ];
        identity(&kind, &with("googlecloud", &changes)).0
    };
    assert_ne!(whole("a"), whole("b"));
}

#[test]
fn a_test_of_a_channel_of_google_is_a_test_and_no_severity_is_none() {
    let test = alert(Kind::GoogleCloud, &changed("googlecloud", "/version", "test"));
    assert_eq!(test.content, Content::Test);
    let without =
        alert(Kind::GoogleCloud, &changed("googlecloud", "/incident/severity", "No severity"));
    assert_eq!(without.severity, None);
}
