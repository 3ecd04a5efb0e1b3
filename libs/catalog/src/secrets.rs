//! Which keys hold secrets.

/// Whether the value of this key is a secret.
pub(crate) fn is_secret(key: &str) -> bool {
    matches!(key, "bearer_token" | "client_secret")
}

/// Whether the values in this mapping are secrets.
pub(crate) fn holds_secrets(key: &str) -> bool {
    matches!(key, "env" | "custom_headers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_whose_type_is_a_secret_is_known() {
        let files = [
            include_str!("server/transport.rs"),
            include_str!("server/oauth.rs"),
            include_str!("server.rs"),
            include_str!("provider.rs"),
            include_str!("settings.rs"),
            include_str!("slack.rs"),
            include_str!("messengers.rs"),
            include_str!("notifications.rs"),
            include_str!("notifications/target.rs"),
            include_str!("intake/source.rs"),
            include_str!("access/oidc.rs"),
        ];
        let fields: Vec<&str> = files
            .iter()
            .flat_map(|text| text.lines())
            .filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(": "))
            .filter(|(_, kind)| kind.contains("SecretString"))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(fields.len(), 4, "{fields:?}");
        assert!(fields.iter().all(|name| is_secret(name) || holds_secrets(name)), "{fields:?}");
    }
}
