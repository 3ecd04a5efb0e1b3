"""Faults that a change brought about, with the changes that were reported before the alert: the one at fault and others."""

from faults import applications, databases, limits, network
from faults.scene import Case, Change

# What was reported beside the change at fault: of other services, of other environments, too early.
OTHERS = [
    Change(95, "deployment", "catalog 7.1.0 was deployed", service="catalog", author="clara", object="Deployment/catalog"),
    Change(41, "scaling", "replicas 3 → 4", service="search", author="autoscaler", object="Deployment/search"),
    Change(6, "feature_flag", "turned on the flag winter-banner", object="flag/winter-banner", author="mara@cases.test"),
]


def log(name: str) -> tuple[str, dict]:
    return ("tail_log", {"path": f"/var/log/cases/{name}.log"})


CASES = [
    Case(
        "change-of-address",
        "CheckoutErrors: no order is paid any more",
        {
            "cause": ["PAYMENTS_URL", "wrong port", "wrong address", "connection refused", "nothing listens"],
            "object": ["checkout", "payments", "127.0.0.1:18934", "18934"],
            "category": ["configuration", "network_fault", "service_routing"],
            "required_evidence": [["18934"], ["env of checkout"]],
            "forbidden_evidence": ["winter-banner"],
        },
        applications.wrong_variable,
        [log("checkout"), log("payments")],
        [*OTHERS, Change(4, "configuration", "env of checkout: PAYMENTS_URL", service="checkout", author="tomas", object="Deployment/checkout")],
    ),
    Case(
        "change-of-password",
        "ExporterDown: exporter has no figures of the database",
        {
            "cause": ["password authentication failed", "wrong password", "password"],
            "object": ["exporter", "postgresql", "18947"],
            "category": ["access", "database", "authentication"],
            "required_evidence": [["password authentication failed"], ["another version of the Secret"]],
            "forbidden_evidence": ["winter-banner"],
        },
        databases.wrong_password,
        [log("exporter"), log("postgresql")],
        [*OTHERS, Change(5, "secret", "another version of the Secret was written", service="exporter", author="vault-agent", object="Secret/exporter-database")],
    ),
    Case(
        "change-of-schema",
        "LedgerDown: the ledger does not start",
        {
            "cause": ["contains null values", "null values", "not null", "migration failed", "schema version 42"],
            "object": ["migrate", "ledger", "accounts", "postgresql"],
            "category": ["database", "crash", "application"],
            "required_evidence": [["null values", "schema version 42"], ["ledger 42.0"]],
            "forbidden_evidence": ["winter-banner"],
        },
        databases.failed_migration,
        [log("migrate"), log("ledger")],
        [*OTHERS, Change(3, "deployment", "ledger 42.0 was deployed, with migration 42 of its accounts", service="ledger", author="rosa", object="Deployment/ledger"),
         Change(3, "deployment", "job migrate of ledger 42.0 ran", service="migrate", author="rosa", object="Job/migrate")],
    ),
    Case(
        "change-of-port",
        "StorefrontErrors: the storefront shows no stock",
        {
            "cause": ["connection refused", "nothing listens", "other port", "different port", "wrong port", "18954"],
            "object": ["inventory", "127.0.0.1:18944", "18944", "storefront"],
            "category": ["configuration", "network", "port", "network_fault", "service_routing"],
            "required_evidence": [["refused"], ["inventory.service"]],
            "forbidden_evidence": ["winter-banner"],
        },
        applications.refused_after_restart,
        [log("storefront"), log("inventory")],
        [*OTHERS, Change(4, "unit", "inventory.service was written: ExecStart with port 18944 → 18954", service="inventory", author="ansible", object="unit/inventory.service")],
    ),
    Case(
        "change-of-certificate",
        "OrdersFail: orders cannot ask billing",
        {
            "cause": ["hostname mismatch", "certificate is for another name", "not valid for", "other names"],
            "object": ["billing", "billing.cases.test", "18946", "orders"],
            "category": ["certificate", "tls"],
            "required_evidence": [["Hostname mismatch", "mismatch"], ["Secret/billing-tls"]],
            "forbidden_evidence": ["winter-banner"],
        },
        network.certificate_name,
        [log("orders"), log("billing")],
        [*OTHERS, Change(7, "secret", "another version of the Secret was written", service="billing", author="cert-manager", object="Secret/billing-tls")],
    ),
    Case(
        "change-of-memory-limit",
        "ReportMissing: the report of December was not built",
        {
            "cause": ["out of memory", "oom", "oom killer", "memory limit", "killed by signal 9", "memory ran out"],
            "object": ["report-builder", "cases-report-builder"],
            "category": ["memory", "out_of_memory", "out of memory", "oom"],
            "required_evidence": [["report-builder"], ["resources of report-builder"]],
            "forbidden_evidence": ["winter-banner"],
        },
        limits.oom_kill,
        [("kernel_log", {"lines": 40}), log("report-builder")],
        [*OTHERS, Change(9, "deployment", "changed: resources of report-builder", service="report-builder", author="tomas", object="Deployment/report-builder")],
    ),
    Case(
        "change-of-processors",
        "PricesSlow: requests to pricing take longer than a second since this afternoon",
        {
            "cause": ["throttled", "throttling", "nr_throttled", "cpu quota", "cfs quota", "cpu limit"],
            "object": ["pricing", "18942", "cases-pricing"],
            "category": ["cpu", "starvation", "resource starvation", "throttling"],
            "required_evidence": [["nr_throttled", "throttled"], ["resources of pricing"]],
            "forbidden_evidence": ["winter-banner"],
        },
        limits.cpu_quota,
        [log("pricing"), log("pricing-client")],
        [*OTHERS, Change(5, "deployment", "changed: resources of pricing", service="pricing", author="tomas", object="Deployment/pricing")],
    ),
    Case(
        "change-that-leaks",
        "MemoryGrows: the memory of session-cache grows since its last start",
        {
            "cause": ["leak", "never evicted", "evicted 0", "grows", "keeps growing", "without bound", "expired 0"],
            "object": ["session-cache"],
            "category": ["memory", "out_of_memory", "starvation", "memory leak"],
            "required_evidence": [["session-cache"], ["3.3.0"]],
            "forbidden_evidence": ["winter-banner"],
        },
        limits.memory_leak,
        [log("session-cache")],
        [*OTHERS, Change(4, "deployment", "image of session-cache shop/session-cache:3.2.4 → shop/session-cache:3.3.0", service="session-cache", author="argocd-controller",
                         object="Deployment/session-cache")],
    ),
    Case(
        "change-that-is-slow",
        "DeliveryErrors: delivery has no coordinates for its addresses any more",
        {
            "cause": ["timed out", "timeout", "slow", "took 6", "answers too late"],
            "object": ["geocoder", "127.0.0.1:18945", "18945", "delivery"],
            "category": ["dependency", "latency", "network", "network_fault", "application", "application error"],
            "required_evidence": [["timed out", "timeout"], ["new-geocoder"]],
            "forbidden_evidence": ["winter-banner"],
        },
        applications.slow_dependency,
        [log("delivery"), log("geocoder")],
        [*OTHERS, Change(3, "feature_flag", "turned on the flag new-geocoder", service="delivery", author="mara@cases.test", object="flag/new-geocoder")],
    ),
    Case(
        "change-of-data",
        "InvoicingDown: invoicing does not stay up since the last release of orders",
        {
            "cause": ["KeyError", "key currency", "without a currency", "no currency"],
            "object": ["invoicing", "orders.jsonl"],
            "category": ["application", "application error", "crash", "data"],
            "required_evidence": [["KeyError"], ["orders without a currency"]],
            "forbidden_evidence": ["winter-banner"],
        },
        applications.crash_loop,
        [log("invoicing")],
        [*OTHERS, Change(6, "configuration", "orders without a currency are handed to invoicing", service="invoicing", author="rosa", object="ConfigMap/invoicing-rules")],
    ),
    Case(
        "change-of-connections",
        "BillingErrors: billing cannot read accounts since the restart of the database",
        {
            "cause": ["too many clients", "too many connections", "connection slots", "max_connections", "no connection left"],
            "object": ["postgresql", "postgres", "127.0.0.1", "18947", "billing"],
            "category": ["database", "connections"],
            "required_evidence": [["too many clients", "connection slots"], ["max_connections 100 → 8"]],
            "forbidden_evidence": ["winter-banner"],
        },
        databases.connections_exhausted,
        [log("billing"), log("postgresql")],
        [*OTHERS, Change(12, "configuration", "max_connections 100 → 8", service="postgresql", author="ansible", object="file/postgresql.conf")],
    ),
]
