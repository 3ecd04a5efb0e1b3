//! The orchestrator on a real PostgreSQL and a real nats-server; the model and the tools are
//! scripted.

mod live;
mod outage;
mod resume;
mod run;
mod stop;
mod trouble;
mod world;
