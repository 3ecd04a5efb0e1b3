"""Which servers are asked directly although the environment names a proxy.

The SDKs read `HTTPS_PROXY` and its like by themselves, each in its own way, and so does gRPC for spans. A proxy of a
company reaches neither this machine nor its cluster, so such servers of ours are added to `NO_PROXY`. The services do
the same in `libs/outbound`.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

_PROXIES = ("all_proxy", "http_proxy", "https_proxy")
_EXCEPTIONS = ("NO_PROXY", "no_proxy")
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
# Names that are resolved inside a cluster alone.
_OF_CLUSTER = (".svc", ".cluster.local")


def exceptions(environment: Mapping[str, str], urls: Iterable[str]) -> dict[str, str]:
    """Returns what to set so that no proxy is asked for servers that are near; nothing where no proxy is named."""
    if not any(environment.get(name) or environment.get(name.upper()) for name in _PROXIES):
        return {}
    listed = [one for name in _EXCEPTIONS for one in environment.get(name, "").split(",")]
    near = filter(_is_near, map(_host, urls))
    every = [one.strip() for one in (*listed, *_THIS_MACHINE, *near)]
    text = ",".join(dict.fromkeys(one for one in every if one))
    return dict.fromkeys(_EXCEPTIONS, text)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_near(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return bool(host) and ("." not in host or host.endswith((".localhost", *_OF_CLUSTER)))
