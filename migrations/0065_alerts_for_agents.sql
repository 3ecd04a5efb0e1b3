-- The place (`intake_alerts.seq`) of the last alert of a source that a message gives to its agent. The greatest of an
-- execution tells which alerts the agent has not been given yet, also to a new owner of its session.
alter table messages add column alerts_until bigint check (alerts_until > 0);
