//! The list of the tools: what the model is told of each, and what runs when it is called.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::handler::server::common::schema_for_input;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::{Map, Value};
use tarsy_hosts::Reach;

use crate::args::{
    DiskArgs, DnsArgs, HttpProbeArgs, KernelLogArgs, ListLogsArgs, MemoryArgs, NoArgs,
    ServiceLogArgs, TailLogArgs, TopArgs, parse,
};
use crate::error::ToolResult;
use crate::host::{Host, blocking};
use crate::tools::{disk, dns, http, journal, kernel, logs, memory, network, processes, system};

type Running = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

pub(crate) struct Spec {
    /// The name, which is also how it is called.
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether it looks beyond this machine.
    open_world: bool,
    schema: fn() -> Result<Arc<JsonObject>, String>,
    /// Runs the tool; it may reach these hosts.
    pub(crate) run: fn(Arc<Host>, JsonObject, Reach) -> Running,
}

impl Spec {
    /// The tool as the protocol describes it.
    pub(crate) fn tool(&self) -> Result<Tool, String> {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(self.open_world);
        let schema = (self.schema)()?;
        Ok(Tool::new(self.name, self.description, schema)
            .with_title(self.title)
            .with_annotations(annotations))
    }
}

/// The schema of arguments, without what only costs words or confuses a provider: number formats that are ours,
/// and null beside a type (a null argument is the same as none).
fn schema<T: JsonSchema + 'static>() -> Result<Arc<JsonObject>, String> {
    let mut schema = schema_for_input::<T>()?.as_ref().clone();
    schema.remove("$schema");
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in
        properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut)
    {
        property.remove("format");
        if property.get("default") == Some(&Value::Null) {
            property.remove("default");
        }
        let plain =
            property.get("type").and_then(Value::as_array).and_then(|types| types.first()).cloned();
        if let Some(plain) = plain {
            property.insert("type".to_owned(), plain);
        }
    }
    // A tool without arguments still says so: some clients want the key.
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    Ok(Arc::new(schema))
}

pub(crate) fn find(name: &str) -> Option<&'static Spec> {
    SPECS.iter().find(|spec| spec.name == name)
}

/// All tools, the broad ones first.
pub(crate) const SPECS: &[Spec] = &[
    Spec {
        name: "system_overview",
        title: "System overview",
        description: "One look at the whole host: hostname, operating system, kernel, CPU cores and model, uptime, load \
            average, memory and swap used percent, and how full every disk is. Start here for any alert about a machine, \
            server, node or VM.",
        open_world: false,
        schema: schema::<NoArgs>,
        run: |host, args, _| {
            Box::pin(async move {
                parse::<NoArgs>(args)?;
                system::overview(host).await
            })
        },
    },
    Spec {
        name: "uptime",
        title: "Uptime",
        description: "How long the host has been running and when it booted. Tells whether the machine rebooted or \
            restarted recently.",
        open_world: false,
        schema: schema::<NoArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                parse::<NoArgs>(args)?;
                blocking(system::uptime).await
            })
        },
    },
    Spec {
        name: "load_average",
        title: "Load average and pressure",
        description: "Load average over 1, 5 and 15 minutes against the number of CPU cores, runnable tasks, and pressure \
            stall information (share of time tasks waited for CPU, memory or disk IO). Use for high load, high CPU, slow or \
            overloaded host alerts.",
        open_world: false,
        schema: schema::<NoArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                parse::<NoArgs>(args)?;
                blocking(system::load_average).await
            })
        },
    },
    Spec {
        name: "memory_usage",
        title: "Memory and swap",
        description: "Memory (RAM) and swap: total, used, available, percent, cache, and the processes that hold most \
            memory. Use for high memory, out of memory (OOM), swapping or memory leak alerts.",
        open_world: false,
        schema: schema::<MemoryArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                let args = parse::<MemoryArgs>(args)?;
                blocking(move || memory::usage(&args)).await
            })
        },
    },
    Spec {
        name: "disk_usage",
        title: "Disk usage",
        description: "Disk space and inodes of every mounted file system: size, used, available, used percent, inode \
            percent, read-only; the fullest first. With a path, only the file system that holds it. Use for disk full, low \
            disk space, filesystem, volume, inode or read-only alerts.",
        open_world: false,
        schema: schema::<DiskArgs>,
        run: |host, args, _| {
            Box::pin(async move {
                let args = parse::<DiskArgs>(args)?;
                disk::usage(&host, args).await
            })
        },
    },
    Spec {
        name: "top_processes",
        title: "Top processes",
        description: "The processes that use most CPU (measured over a short interval) or most memory, with pid, user, \
            state, threads and command line, and the CPU use of the whole machine (user, system, iowait, steal). Use for \
            high CPU, runaway, stuck, zombie or memory-hungry process alerts.",
        open_world: false,
        schema: schema::<TopArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                let args = parse::<TopArgs>(args)?;
                processes::top(args).await
            })
        },
    },
    Spec {
        name: "listening_ports",
        title: "Listening ports",
        description: "TCP and UDP ports that programs listen on, with address, pid, process name and user. Use to check \
            whether a service or port is up, down, bound to the wrong address, or taken by another process.",
        open_world: false,
        schema: schema::<NoArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                parse::<NoArgs>(args)?;
                blocking(|| Ok(network::listening_ports())).await
            })
        },
    },
    Spec {
        name: "network_counters",
        title: "Network counters",
        description: "Per network interface: received and sent bytes, packets, errors and drops since boot, link state and \
            MTU. Use for packet loss, network errors, dropped packets or link down alerts.",
        open_world: false,
        schema: schema::<NoArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                parse::<NoArgs>(args)?;
                blocking(network::counters).await
            })
        },
    },
    Spec {
        name: "kernel_log",
        title: "Kernel log",
        description: "The newest kernel messages (dmesg), optionally only from a severity on. Shows OOM killer actions, \
            disk and file system errors, hardware faults, segfaults, network driver resets.",
        open_world: false,
        schema: schema::<KernelLogArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                let args = parse::<KernelLogArgs>(args)?;
                kernel::log(args).await
            })
        },
    },
    Spec {
        name: "service_log",
        title: "Service log",
        description: "The newest log lines of a systemd service (journalctl), or of the whole system without a unit; falls \
            back to syslog files. Use to see why a service failed, crashed, restarted or does not start.",
        open_world: false,
        schema: schema::<ServiceLogArgs>,
        run: |host, args, _| {
            Box::pin(async move {
                let args = parse::<ServiceLogArgs>(args)?;
                journal::service_log(host, args).await
            })
        },
    },
    Spec {
        name: "failed_services",
        title: "Failed services",
        description: "The systemd services and other units that are in the failed state. Use for service down, unit failed \
            or degraded system alerts.",
        open_world: false,
        schema: schema::<NoArgs>,
        run: |_, args, _| {
            Box::pin(async move {
                parse::<NoArgs>(args)?;
                journal::failed_services().await
            })
        },
    },
    Spec {
        name: "list_logs",
        title: "List log files",
        description: "The log files that can be read on this host, with size and time of the last write, the most recent \
            first. Use it to find the path for tail_log, or a log file that grows too big.",
        open_world: false,
        schema: schema::<ListLogsArgs>,
        run: |host, args, _| {
            Box::pin(async move {
                let args = parse::<ListLogsArgs>(args)?;
                blocking(move || logs::list(&host, args)).await
            })
        },
    },
    Spec {
        name: "tail_log",
        title: "Tail a log file",
        description: "The newest lines of one log file, optionally only those that contain a text (grep). Use to read \
            application, web server, database or system log files for errors.",
        open_world: false,
        schema: schema::<TailLogArgs>,
        run: |host, args, _| {
            Box::pin(async move {
                let args = parse::<TailLogArgs>(args)?;
                blocking(move || logs::tail(&host, args)).await
            })
        },
    },
    Spec {
        name: "dns_lookup",
        title: "DNS lookup",
        description: "Resolves a host name to IP addresses as this host does it, with the time it took. Only hosts that the \
            operator allows and those of the alert. Use for DNS failures, unknown host or name resolution alerts.",
        open_world: true,
        schema: schema::<DnsArgs>,
        run: |_, args, hosts| {
            Box::pin(async move {
                let args = parse::<DnsArgs>(args)?;
                dns::lookup(args, &hosts).await
            })
        },
    },
    Spec {
        name: "http_probe",
        title: "HTTP probe",
        description: "Sends one GET or HEAD request to an http or https address from this host and reports status code, \
            latency, TLS certificate result and body size; redirects are not followed. Only hosts that the operator \
            allows and those of the alert. Use to check whether an endpoint, \
            website, API or health check is up, slow, or has a bad certificate.",
        open_world: true,
        schema: schema::<HttpProbeArgs>,
        run: |_, args, hosts| {
            Box::pin(async move {
                let args = parse::<HttpProbeArgs>(args)?;
                http::probe(args, &hosts).await
            })
        },
    },
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_has_a_name_of_its_own_and_a_closed_object_schema() {
        let mut names: Vec<&str> = SPECS.iter().map(|spec| spec.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SPECS.len());
        for spec in SPECS {
            let schema = (spec.schema)().expect("a schema");
            assert_eq!(schema.get("type"), Some(&json!("object")), "{}", spec.name);
            assert_eq!(schema.get("additionalProperties"), Some(&json!(false)), "{}", spec.name);
        }
    }

    #[test]
    fn a_schema_shows_defaults_bounds_and_meaning() {
        let schema = schema::<TopArgs>().expect("a schema");
        let limit = schema.get("properties").and_then(|all| all.get("limit")).expect("limit");
        assert_eq!(limit.get("default"), Some(&json!(10)));
        assert_eq!(
            (limit.get("minimum"), limit.get("maximum")),
            (Some(&json!(1)), Some(&json!(50)))
        );
        assert!(limit.get("description").is_some_and(Value::is_string));
        assert_eq!(limit.get("format"), None);
        let sort_by = schema.get("properties").and_then(|all| all.get("sort_by")).expect("sort_by");
        assert_eq!(sort_by.get("enum"), Some(&json!(["cpu", "memory"])));
        assert_eq!(sort_by.get("default"), Some(&json!("cpu")));
    }
}
