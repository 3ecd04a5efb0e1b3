"""Faults of names, certificates and links beside healthy services. The machine is a network namespace of its own."""

import subprocess
from pathlib import Path

from faults.applications import FAKETIME
from faults.scene import DATA, Case, Scene, environment, healthy, program, wait_for

PEER = "10.77.0.2"


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def hosts(scene: Scene, path: str, text: str) -> None:
    """Replaces a file of /etc as long as the scene lasts."""
    new = DATA / Path(path).name
    new.write_text(text)
    subprocess.run(["mount", "--bind", new, path], check=True)
    scene.callback(subprocess.run, ["umount", "--lazy", path], check=True)


def tls_service(name: str, clock: str) -> tuple[str, str]:
    """A certificate for a name, valid for 30 days from the clock on, and the authority that signed it."""
    folder = DATA / "tls"
    folder.mkdir(exist_ok=True)
    env = environment({"LD_PRELOAD": str(FAKETIME), "FAKETIME": clock})

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, env=env, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "3650", "-subj", "/CN=cases CA")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "service.key", "-out", "service.csr", "-subj", f"/CN={name}")
    (folder / "names").write_text(f"subjectAltName=DNS:{name}\n")
    openssl("x509", "-req", "-in", "service.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "service.pem",
            "-days", "30", "-extfile", "names")
    both = folder / "service-and-key.pem"
    both.write_text((folder / "service.pem").read_text() + (folder / "service.key").read_text())
    return str(both), str(folder / "ca.pem")


def tls(scene: Scene, name: str, clock: str, error: str) -> None:
    healthy(scene)
    hosts(scene, "/etc/hosts", "127.0.0.1 localhost billing.cases.test\n")
    certificate, authority = tls_service(name, clock)
    scene.start("billing", [*program("tls-server"), "18946", certificate], env=environment(), cwd="/opt/cases")
    wait_for("billing", "listening")
    client = [*program("catalog-client"), "https://billing.cases.test:18946/"]
    scene.start("orders", client, env=environment({"CA_FILE": authority}))
    wait_for("orders", error, 4)


def certificate_expired(scene: Scene) -> None:
    tls(scene, "billing.cases.test", "-40d", "certificate has expired")


def certificate_name(scene: Scene) -> None:
    tls(scene, "invoices.cases.test", "-1d", "Hostname mismatch")


def link(scene: Scene) -> None:
    """Another machine behind a link."""
    ip("netns", "add", "warehouse")
    scene.callback(ip, "netns", "delete", "warehouse")
    ip("link", "add", "uplink0", "type", "veth", "peer", "name", "eth0", "netns", "warehouse")
    ip("address", "add", "10.77.0.1/24", "dev", "uplink0")
    ip("link", "set", "uplink0", "up")
    for arguments in (["address", "add", f"{PEER}/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
        ip("-n", "warehouse", *arguments)


def peer(scene: Scene) -> None:
    """Another machine behind a link, with a service on port 8080."""
    link(scene)
    service = ["ip", "netns", "exec", "warehouse", *program("catalog"), "8080", "0", PEER]
    scene.start("warehouse", service, env=environment())
    wait_for("warehouse", "listening")
    client = [*program("catalog-client"), f"http://{PEER}:8080/stock", "3"]
    scene.start("stock", client, env=environment())
    wait_for("stock", "answered 200", 2)


def packets_dropped(scene: Scene) -> None:
    healthy(scene)
    peer(scene)
    ip("-n", "warehouse", "route", "add", "blackhole", "10.77.0.1/32")
    wait_for("stock", "timed out", 3)


def link_down(scene: Scene) -> None:
    healthy(scene)
    peer(scene)
    ip("-n", "warehouse", "link", "set", "eth0", "down")
    wait_for("stock", "failed", 4)


def resolver_timeout(scene: Scene) -> None:
    healthy(scene)
    hosts(scene, "/etc/resolv.conf", "nameserver 127.0.0.53\noptions timeout:1 attempts:1\n")
    link(scene)
    ip("-n", "warehouse", "route", "add", "blackhole", "10.77.0.1/32")
    scene.service("resolver", PEER)
    wait_for("resolver", "listening")
    scene.service("mailer", "mail.cases.test", "25")
    wait_for("mailer", "stay in the queue", 4)


def alert(name: str, instance: str, summary: str) -> dict:
    return {"labels": {"alertname": name, "instance": instance}, "annotations": {"summary": summary}, "status": "firing"}


CASES = [
    Case(
        "certificate-expired",
        alert("BillingUnreachable", "https://billing.cases.test:18946/", "orders cannot reach billing"),
        {
            "cause": ["certificate has expired", "certificate expired", "expired certificate"],
            "object": ["billing.cases.test", "billing"],
            "category": ["certificate", "tls"],
            "required_evidence": [["certificate has expired"]],
            "forbidden_evidence": ["out of memory"],
        },
        certificate_expired,
        [("http_probe", {"url": "https://billing.cases.test:18946/"}), ("tail_log", {"path": "/var/log/cases/orders.log"}),
         ("tail_log", {"path": "/var/log/cases/billing.log"})],
    ),
    Case(
        "certificate-name",
        alert("BillingUnreachable", "https://billing.cases.test:18946/", "orders cannot reach billing"),
        {
            "cause": ["hostname mismatch", "not valid for billing.cases.test", "wrong name", "other names", "another name"],
            "object": ["billing.cases.test", "billing"],
            "category": ["certificate", "tls"],
            "required_evidence": [["Hostname mismatch", "not valid for"]],
            "forbidden_evidence": ["certificate has expired"],
        },
        certificate_name,
        [("http_probe", {"url": "https://billing.cases.test:18946/"}), ("tail_log", {"path": "/var/log/cases/orders.log"}),
         ("tail_log", {"path": "/var/log/cases/billing.log"})],
    ),
    Case(
        "packets-dropped",
        alert("StockOutdated", f"{PEER}:8080", "stock has no answers of the warehouse"),
        {
            "cause": ["timed out", "timeout", "dropped", "does not answer", "no answer"],
            "object": [PEER, "warehouse"],
            "category": ["network", "network_fault", "network fault", "connectivity"],
            "required_evidence": [["timed out"], [PEER]],
            "forbidden_evidence": ["out of memory"],
        },
        packets_dropped,
        [("http_probe", {"url": f"http://{PEER}:8080/stock"}), ("tail_log", {"path": "/var/log/cases/stock.log"}),
         ("tail_log", {"path": "/var/log/cases/warehouse.log"})],
    ),
    Case(
        "link-down",
        alert("StockOutdated", f"{PEER}:8080", "stock has no answers of the warehouse"),
        {
            "cause": ["link is down", "uplink0 is down", "interface is down", "lowerlayerdown", "no carrier", "state down", "no route to host"],
            "object": ["uplink0", PEER],
            "category": ["network", "network_fault", "network fault", "link", "connectivity"],
            "required_evidence": [["uplink0"]],
            "forbidden_evidence": ["out of memory"],
        },
        link_down,
        [("http_probe", {"url": f"http://{PEER}:8080/stock"}), ("tail_log", {"path": "/var/log/cases/stock.log"}),
         ("tail_log", {"path": "/var/log/cases/warehouse.log"})],
    ),
    Case(
        "resolver-timeout",
        alert("MailsQueued", "mail.cases.test", "the mailer delivers no mails"),
        {
            "cause": ["name resolution", "does not resolve", "resolver", "dns"],
            "object": ["mail.cases.test", "resolver", PEER, "127.0.0.53"],
            "category": ["dns", "name resolution"],
            "required_evidence": [["Temporary failure in name resolution", "timed out"]],
            "forbidden_evidence": ["out of memory"],
        },
        resolver_timeout,
        [("dns_lookup", {"name": "mail.cases.test"}), ("tail_log", {"path": "/var/log/cases/mailer.log"}),
         ("tail_log", {"path": "/var/log/cases/resolver.log"})],
    ),
]
