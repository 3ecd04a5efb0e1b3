-- The provider that the sender of an alert chose for its investigation, by its name in the configuration; null leaves it to the chain.
alter table alert_sessions add column requested_provider text;
