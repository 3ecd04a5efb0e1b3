//! Zabbix, Uptime Kuma, Checkmk and Icinga, which check hosts and services themselves.

use serde_json::json;
use tarsy_intake::{Content, Ignored, Kind, Received, Status};

use crate::support::{alert, changed, identity, pairs, payload, receive, time, titles, with};

fn ignored(event: &str) -> Received {
    Received::Ignored(Ignored::Event(event.to_owned()))
}

#[test]
fn a_problem_of_zabbix_becomes_an_alert() {
    let alert = alert(Kind::Zabbix, &payload("zabbix"));
    assert_eq!(alert.title, "Free disk space of / is below 5 %");
    assert_eq!((alert.severity.as_deref(), alert.status), (Some("high"), Status::Firing));
    assert_eq!(alert.service.as_deref(), Some("checkout"));
    assert_eq!(alert.starts_at, time("2026-11-24T12:00:05Z"));
    assert_eq!(alert.annotations["operational_data"], "4.2 %");
    assert_eq!(
        pairs(&alert.labels),
        "host=web-3 host_groups=Linux servers host_ip=10.0.0.3 host_name=Web 3 scope=capacity service=checkout \
         trigger_id=23011"
    );
    assert_eq!(titles(&alert), ["Problem"]);
}

#[test]
fn recovery_and_updates_of_a_problem_of_zabbix_are_its_status() {
    let kind = Kind::Zabbix;
    let (first, _) = identity(&kind, &payload("zabbix"));
    let over = with(
        "zabbix",
        &[("/event_value", json!("0")), ("/ends_at", json!("2026-11-24T12:30:05.000Z"))],
    );
    assert_eq!(identity(&kind, &over), (first.clone(), Status::Resolved));
    assert_eq!(alert(kind.clone(), &over).ends_at, time("2026-11-24T12:30:05Z"));
    let update = |acknowledged: &str| {
        let changes =
            [("/event_update_status", json!("1")), ("/event_ack_status", json!(acknowledged))];
        with("zabbix", &changes)
    };
    assert_eq!(identity(&kind, &update("Yes")), (first.clone(), Status::Acknowledged));
    assert_eq!(receive(kind.clone(), &update("No")), Ok(ignored("update")));
    let next = alert(kind.clone(), &changed("zabbix", "/event_id", "4712"));
    assert_eq!(next.fingerprint, first, "the same trigger");
    let other = with("zabbix", &[("/trigger_id", json!("23012")), ("/host_host", json!("web-4"))]);
    assert_ne!(identity(&kind, &other).0, first);
}

#[test]
fn a_test_of_a_media_type_of_zabbix_is_a_test() {
    let body = changed("zabbix", "/event_id", "{EVENT.ID}");
    assert_eq!(alert(Kind::Zabbix, &body).content, Content::Test);
    let internal = changed("zabbix", "/trigger_id", "{TRIGGER.ID}");
    assert_eq!(identity(&Kind::Zabbix, &internal).0, "event:4711");
}

#[test]
fn a_monitor_of_uptime_kuma_goes_down_and_up() {
    let kind = Kind::UptimeKuma;
    let down = alert(kind.clone(), &payload("uptimekuma"));
    assert_eq!((down.title.as_str(), down.status), ("Checkout page is down", Status::Firing));
    assert_eq!(down.service.as_deref(), Some("checkout"));
    assert_eq!(down.starts_at, time("2026-11-24T12:00:00.123Z"));
    assert_eq!(
        pairs(&down.labels),
        "monitor=Checkout page monitor_id=10 monitor_type=http path=Shop / Checkout page service=checkout"
    );
    let up = with(
        "uptimekuma",
        &[("/heartbeat/status", json!(1)), ("/heartbeat/time", json!("2026-11-24 12:05:00.000"))],
    );
    let up = alert(kind.clone(), &up);
    assert_eq!((&up.fingerprint, up.status), (&down.fingerprint, Status::Resolved));
    assert_eq!((up.starts_at, up.ends_at), (None, time("2026-11-24T12:05:00Z")));
    for (status, event) in [(2, "pending"), (3, "maintenance")] {
        let body = changed("uptimekuma", "/heartbeat/status", status);
        assert_eq!(receive(kind.clone(), &body), Ok(ignored(event)));
    }
    let other = changed("uptimekuma", "/monitor/id", 11);
    assert_ne!(identity(&kind, &other).0, down.fingerprint);
}

#[test]
fn a_test_of_uptime_kuma_is_a_test_and_a_warning_without_a_monitor_is_an_alert() {
    let of =
        |message: &str| json!({"heartbeat": null, "monitor": null, "msg": message}).to_string();
    assert_eq!(alert(Kind::UptimeKuma, &of("TARSy Testing")).content, Content::Test);
    let warning = "[Checkout page][https://shop.example] certificate will expire in 7 days";
    let alert = alert(Kind::UptimeKuma, &of(warning));
    assert_eq!(alert.title, warning);
    let other = of("[Cart][https://shop.example] certificate will expire in 7 days");
    assert_ne!(identity(&Kind::UptimeKuma, &other).0, alert.fingerprint);
}

#[test]
fn notifications_of_checkmk_and_icinga_become_alerts() {
    let checkmk = alert(Kind::Checkmk, &payload("checkmk"));
    assert!(checkmk.title.starts_with("web-3/Filesystem /: Used: 96.2%"), "{}", checkmk.title);
    assert_eq!(checkmk.severity.as_deref(), Some("crit"));
    assert_eq!(checkmk.service.as_deref(), Some("checkout"), "of a label, not of the check");
    assert_eq!(checkmk.source_id.as_deref(), Some("35"));
    assert_eq!(checkmk.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(checkmk.labels["check"], "Filesystem /");
    assert_eq!(
        checkmk.links[0].url,
        "https://checkmk.example/main/check_mk/index.py?start_url=view.py"
    );
    let icinga = alert(Kind::Icinga, &payload("icinga"));
    assert_eq!(icinga.title, "web-3/disk: DISK CRITICAL - free space: / 812 MB (4%)");
    assert_eq!(icinga.severity.as_deref(), Some("critical"));
    assert_eq!(icinga.starts_at, time("2026-11-24T12:00:00.482Z"));
    assert_eq!(titles(&icinga), ["Icinga"]);
}

#[test]
fn the_type_of_a_notification_is_the_status() {
    for (kind, name, state) in
        [(Kind::Checkmk, "checkmk", "/SERVICESTATE"), (Kind::Icinga, "icinga", "/SERVICESTATE")]
    {
        let (first, _) = identity(&kind, &payload(name));
        for (sent, status) in [
            ("RECOVERY", Status::Resolved),
            ("Recovery", Status::Resolved),
            ("ACKNOWLEDGEMENT", Status::Acknowledged),
            ("CUSTOM", Status::Firing),
        ] {
            let found = identity(&kind, &changed(name, "/NOTIFICATIONTYPE", sent));
            assert_eq!(found, (first.clone(), status), "{name} {sent}");
        }
        let over = alert(kind.clone(), &changed(name, "/NOTIFICATIONTYPE", "RECOVERY"));
        assert_eq!((over.severity, over.starts_at), (None, None));
        for sent in ["DOWNTIMESTART", "FLAPPINGSTART", "FLAPPINGSTOP"] {
            let body = changed(name, "/NOTIFICATIONTYPE", sent);
            assert_eq!(receive(kind.clone(), &body), Ok(ignored(sent)));
        }
        let by_hand = with(name, &[("/NOTIFICATIONTYPE", json!("CUSTOM")), (state, json!("OK"))]);
        assert_eq!(receive(kind.clone(), &by_hand), Ok(ignored("CUSTOM")));
        let other = changed(name, "/HOSTNAME", "web-4");
        assert_ne!(identity(&kind, &other).0, first);
    }
}

#[test]
fn a_host_without_a_service_is_an_alert_of_its_own() {
    let host = json!({
        "WHAT": "HOST", "NOTIFICATIONTYPE": "PROBLEM", "HOSTNAME": "web-3", "HOSTSTATE": "DOWN",
        "HOSTOUTPUT": "No IP packet received for 16.3 s", "SERVICEDESC": "$SERVICEDESC$", "OMD_SITE": "main",
    });
    let host = alert(Kind::Checkmk, &host.to_string());
    assert_eq!(host.title, "web-3: No IP packet received for 16.3 s");
    assert_eq!((host.severity.as_deref(), host.fingerprint.as_str()), (Some("down"), "main/web-3"));
    assert_eq!(host.group_key, alert(Kind::Checkmk, &payload("checkmk")).group_key);
}
