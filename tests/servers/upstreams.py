"""A small stand-in for the servers that MCP servers talk to: the Kubernetes API and Grafana."""

import json
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlparse

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
META = {"name": "web-1", "namespace": "default", "uid": "u-1", "creationTimestamp": "2026-01-01T00:00:00Z"}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {**META, "annotations": {"example.org/note": f"token: {SECRET}"}},
    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
    "status": {"phase": "Running"},
}


def resource(name, kind):
    return {"name": name, "singularName": "", "namespaced": kind != "Namespace", "kind": kind, "verbs": ["get", "list"]}


def collection(kind, items):
    return {"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": items}


PAGES = {
    "/version": {"major": "1", "minor": "33", "gitVersion": "v1.33.0"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [resource("pods", "Pod"), resource("namespaces", "Namespace")],
    },
    "/api/v1/namespaces": collection(
        "NamespaceList", [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}]
    ),
    "/api/v1/pods": collection("PodList", [POD]),
    "/api/v1/namespaces/default/pods": collection("PodList", [POD]),
    "/api/v1/namespaces/default/pods/web-1": POD,
    "/api/datasources": [
        {
            "id": 1,
            "uid": "prom",
            "orgId": 1,
            "name": "main",
            "type": "prometheus",
            "url": f"http://reader:{SECRET}@prometheus:9090",
            "access": "proxy",
        }
    ],
    "/api/health": {"database": "ok", "version": "12.0.0"},
    "/api/org": {"id": 1, "name": "Main"},
}


class Stub(BaseHTTPRequestHandler):
    def do_GET(self):
        path = urlparse(self.path).path
        if path.endswith("/log"):
            return self.answer(200, "text/plain", f"started\nlogged in with {SECRET}\n".encode())
        page = PAGES.get(path)
        status = 200 if page is not None else 404
        body = page if page is not None else {"kind": "Status", "status": "Failure", "code": 404, "message": path}
        return self.answer(status, "application/json", json.dumps(body).encode())

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    # Whoever starts it in the background has this signal ignored, and stops it by it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Stub).serve_forever()
