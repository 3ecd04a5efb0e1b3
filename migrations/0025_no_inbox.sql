-- Each consumer knows by its own rows what it has done: calls, summaries, notifications, sessions.
-- A table for all of them was reserved and never written.

drop table inbox;
