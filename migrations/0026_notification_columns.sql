-- Column names that say what is stored.

alter table notifications rename column tried_at to attempted_at;
alter table notifications rename column settled_at to finished_at;
alter table notification_destinations rename column known_since to registered_at;
