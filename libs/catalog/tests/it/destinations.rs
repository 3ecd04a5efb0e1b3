//! Destinations of notifications: what each type needs, and what is said of one that is wrong.

use tarsy_catalog::{Env, MailTls, Target};

use crate::support::load;

fn destination(text: &str) -> Result<Target, String> {
    let text = format!("notifications: {{destinations: {{one: {{{text}}}}}}}\n");
    let loaded = load(&text, "", &Env::of([("SECRET", "s")]));
    let catalog = loaded.map_err(|error| error.to_string())?;
    Ok(catalog.destinations[0].target.clone())
}

#[test]
fn each_type_has_its_keys_and_defaults() {
    for text in [
        "type: teams, url_env: SECRET",
        "type: mattermost, url: 'https://m.example', channel: 4xp9fdt77pncbef59f4k1qe83o, token_env: SECRET",
        "type: matrix, url: 'https://m.example', room_id: '!a:m.example', token_env: SECRET",
        "type: googlechat, url_env: SECRET",
        "type: email, host: localhost, tls: none, from: a@b.example, to: ['Ops <ops@b.example>']",
        "type: pagerduty, token_env: SECRET, from: a@b.example",
        "type: jira, url: 'https://j.example/', token_env: SECRET, jql: 'labels = {fingerprint}'",
    ] {
        assert!(destination(text).is_ok(), "{:?}", destination(text));
    }
    let mail = "type: email, host: m.example, user: u, password_env: SECRET, from: a@b.example, to: [c@b.example]";
    let Ok(Target::Email(mail)) = destination(mail) else { panic!("{:?}", destination(mail)) };
    assert_eq!((mail.tls, mail.port), (MailTls::StartTls, None));
}

#[test]
fn what_is_wrong_is_named_with_its_key_and_the_fix() {
    for (text, key, fix) in [
        ("type: teams, url_env: ELSE", "url_env", "set ELSE"),
        ("type: teams, url: 'https://t.example'", "url_env", ""),
        (
            "type: mattermost, url: 'http://m.example', channel: C1, token_env: SECRET",
            "url",
            "write https://",
        ),
        (
            "type: mattermost, url: 'https://m.example', channel: town-square, token_env: SECRET",
            "channel",
            "View Info",
        ),
        (
            "type: matrix, url: 'https://m.example', room_id: '#ops:m.example', token_env: SECRET",
            "room_id",
            "!abc:example.com",
        ),
        (
            "type: email, host: m.example, from: nobody, to: [a@b.example]",
            "from",
            "ops@example.com",
        ),
        ("type: email, host: m.example, from: a@b.example, to: []", "to", "add one"),
        (
            "type: email, host: m.example, user: u, from: a@b.example, to: [a@b.example]",
            "password_env",
            "add",
        ),
        (
            "type: email, host: m.example, tls: none, user: u, password_env: SECRET, from: a@b.example, to: [a@b.example]",
            "tls",
            "starttls",
        ),
        ("type: pagerduty, token_env: SECRET, from: me", "from", "user of PagerDuty"),
        (
            "type: jira, url: 'https://j.example', token_env: SECRET",
            "one",
            "issue_label, jql or project",
        ),
        (
            "type: webhook, url: 'https://m.example', secret_env: SECRET, statuses: [approval]",
            "statuses",
            "another destination",
        ),
    ] {
        let error = destination(text).unwrap_err();
        assert!(error.contains(&format!("one.{key}").replace("one.one", "one")), "{text}: {error}");
        assert!(error.contains(fix), "{text}: {error}");
    }
}

#[test]
fn the_weekly_message_goes_to_destinations_that_people_read() {
    let file = |prevention: &str| {
        format!(
            "system: {{slack: {{enabled: true, channel: C1, token_env: SECRET}}}}\nnotifications:\n  prevention: {{{prevention}}}\n  \
             destinations:\n    hook: {{type: webhook, url: 'https://h.example', secret_env: SECRET}}\n    chat: {{type: \
             googlechat, url_env: SECRET}}\n"
        )
    };
    let read = |prevention: &str| {
        let loaded = load(&file(prevention), "", &Env::of([("SECRET", "s")]));
        loaded.map(|catalog| catalog.prevention_message).map_err(|error| error.to_string())
    };
    let off = read("").unwrap();
    assert_eq!(off.last_until("2026-03-02T14:00:00Z".parse().unwrap()), None);
    let on = read("destinations: [slack, chat], time_zone: Europe/Berlin").unwrap();
    let last = on.last_until("2026-03-02T14:00:00Z".parse().unwrap()).unwrap();
    assert_eq!(last.to_string(), "2026-03-02T08:00:00Z");
    for (wrong, key) in [
        ("destinations: [nobody]", "\"nobody\" is no destination"),
        ("destinations: [hook]", "messages about sessions alone"),
        ("destinations: [chat], time_zone: Mars", "is not a name of the IANA database"),
        ("destinations: [chat], cron: weekly", "is not a cron expression"),
    ] {
        let error = read(wrong).unwrap_err();
        assert!(error.contains(key), "{key} is missing in {error}");
    }
}
