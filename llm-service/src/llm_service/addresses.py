"""Which addresses only this machine reaches."""

import ipaddress

from llm_service.ports import UNIX

NEEDED = (
    "set LLM_SERVICE_TOKEN (or LLM_SERVICE_TOKEN_FILE) here and for its callers, or LLM_SERVICE_TLS_CERT, "
    "LLM_SERVICE_TLS_KEY and LLM_SERVICE_TLS_CA, or listen on 127.0.0.1 or unix:PATH"
)


def is_local(address: str) -> bool:
    """Whether only this machine can reach an address."""
    host = address.rpartition(":")[0].strip("[]")
    if address.startswith(UNIX) or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
