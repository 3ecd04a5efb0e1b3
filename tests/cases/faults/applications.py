"""Faults of programs and their settings beside healthy services."""

import time

from faults.scene import DATA, TOOLS, Case, Scene, environment, healthy, program, wait_for

FAKETIME = TOOLS.parent / "faketime/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
ORDERS = '{"id": 1, "amount": 20, "currency": "EUR"}\n{"id": 2, "amount": 35, "currency": "EUR"}\n{"id": 3, "amount": 12}\n'


def crash_loop(scene: Scene) -> None:
    healthy(scene)
    (DATA / "orders.jsonl").write_text(ORDERS)
    command = [*program("supervisor"), "4", *program("invoicing"), str(DATA / "orders.jsonl")]
    scene.start("invoicing", command, env=environment())
    wait_for("invoicing", "is not started again")


def wrong_variable(scene: Scene) -> None:
    healthy(scene)
    scene.start("payments", [*program("catalog"), "18943"], env=environment())
    wait_for("payments", "listening")
    scene.service("checkout", env={"PAYMENTS_URL": "http://127.0.0.1:18934"})
    wait_for("checkout", "is not paid", 5)


def clock_skew(scene: Scene) -> None:
    healthy(scene)
    token = str(DATA / "token.json")
    scene.service("token-issuer", token, env={"LD_PRELOAD": str(FAKETIME), "FAKETIME": "+15m"})
    wait_for("token-issuer", "issued")
    scene.service("accounts", token)
    wait_for("accounts", "refused", 4)


def refused_after_restart(scene: Scene) -> None:
    healthy(scene)
    inventory = scene.start("inventory", [*program("catalog"), "18944"], env=environment())
    wait_for("inventory", "listening")
    scene.start("storefront", [*program("catalog-client"), "http://127.0.0.1:18944/stock"], env=environment())
    wait_for("storefront", "answered 200", 2)
    inventory.terminate()
    inventory.wait()
    scene.start("inventory", [*program("catalog"), "18954"], env=environment())
    wait_for("storefront", "refused", 4)


def slow_dependency(scene: Scene) -> None:
    healthy(scene)
    scene.start("geocoder", [*program("catalog"), "18945", "6"], env=environment())
    wait_for("geocoder", "listening")
    scene.start("delivery", [*program("catalog-client"), "http://127.0.0.1:18945/geocode", "2"], env=environment())
    wait_for("geocoder", "200 in", 3)
    time.sleep(1)


CASES = [
    Case(
        "crash-loop",
        "InvoicingDown: invoicing was started four times and is down",
        {
            "cause": ["KeyError", "key currency", "without a currency", "no currency"],
            "object": ["invoicing", "orders.jsonl"],
            "category": ["application", "application error", "crash", "data"],
            "required_evidence": [["KeyError"], ["currency"]],
            "forbidden_evidence": ["out of memory"],
        },
        crash_loop,
        [("tail_log", {"path": "/var/log/cases/invoicing.log"})],
    ),
    Case(
        "wrong-variable",
        "CheckoutErrors: no order has been paid since checkout was deployed",
        {
            "cause": ["PAYMENTS_URL", "wrong port", "wrong address", "wrong url"],
            "object": ["checkout", "PAYMENTS_URL", "127.0.0.1:18934", "18934"],
            "category": ["configuration"],
            "required_evidence": [["18934"], ["refused"]],
            "forbidden_evidence": ["out of memory"],
        },
        wrong_variable,
        [("tail_log", {"path": "/var/log/cases/checkout.log"}), ("tail_log", {"path": "/var/log/cases/payments.log"})],
    ),
    Case(
        "clock-skew",
        "LoginsRefused: accounts refuses all logins",
        {
            "cause": ["clock", "clocks", "clock skew", "not yet valid", "in the future"],
            "object": ["token-issuer", "accounts"],
            "category": ["clock", "time"],
            "required_evidence": [["not yet valid"]],
            "forbidden_evidence": ["out of memory"],
        },
        clock_skew,
        [("tail_log", {"path": "/var/log/cases/accounts.log"}), ("tail_log", {"path": "/var/log/cases/token-issuer.log"})],
    ),
    Case(
        "refused-after-restart",
        "StorefrontErrors: the storefront shows no stock since inventory was restarted",
        {
            "cause": ["connection refused", "nothing listens", "other port", "different port", "wrong port", "18954"],
            "object": ["inventory", "127.0.0.1:18944", "18944"],
            "category": ["configuration", "network", "port", "network_fault", "service_routing"],
            "required_evidence": [["refused"], ["18944"]],
            "forbidden_evidence": ["out of memory"],
        },
        refused_after_restart,
        [("tail_log", {"path": "/var/log/cases/storefront.log"}), ("tail_log", {"path": "/var/log/cases/inventory.log"})],
    ),
    Case(
        "slow-dependency",
        "DeliveryErrors: delivery has no coordinates for its addresses",
        {
            "cause": ["timed out", "timeout", "slow", "took 6", "answers too late"],
            "object": ["geocoder", "127.0.0.1:18945", "18945"],
            "category": ["dependency", "latency", "network", "network_fault", "application", "application error"],
            "required_evidence": [["timed out", "timeout"]],
            "forbidden_evidence": ["out of memory"],
        },
        slow_dependency,
        [("tail_log", {"path": "/var/log/cases/delivery.log"}), ("tail_log", {"path": "/var/log/cases/geocoder.log"})],
    ),
]
