"""usage: two_hosts.py PORTS_FILE LOG: an index on one port of 127.0.0.1 whose files lie on another; both ports go to PORTS_FILE.

No page is answered before somebody is connected to the port of the files (500 after 20 s without), so that who connects there only for what a page names gets
none. The log has a line "connected" for each connection to the port of the files and "METHOD PATH" for each request to it.
"""
import hashlib
import http.server
import io
import json
import os
import sys
import threading
import zipfile


def wheel(name, version, requires=""):
    out, info = io.BytesIO(), "%s-%s.dist-info/" % (name, version)
    with zipfile.ZipFile(out, "w") as z:
        for path, text in (("METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s" % (name, version, requires)), ("WHEEL", "Wheel-Version: 1.0\n"), ("RECORD", "")):
            z.writestr(zipfile.ZipInfo(info + path), text)
    return "%s-%s-py3-none-any.whl" % (name, version), out.getvalue()


WHEELS = dict([wheel("alpha", "1.0", "Requires-Dist: beta\n"), wheel("beta", "2.0")])
connected = threading.Event()


def note(line):
    with open(sys.argv[2], "a") as log:
        log.write(line + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, status, body, kind="application/octet-stream"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Index(Handler):
    def do_GET(self):
        if not connected.wait(20):
            return self.send(500, b"")
        name = self.path.strip("/").split("/")[-1]
        rows = [{"filename": f, "url": "http://127.0.0.1:%d/%s" % (files.server_port, f), "size": len(w), "hashes": {"sha256": hashlib.sha256(w).hexdigest()}}
                for f, w in WHEELS.items() if f.startswith(name + "-")]
        page = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": rows}).encode()
        self.send(200 if rows else 404, page, "application/vnd.pypi.simple.v1+json")


class Files(Handler):
    def setup(self):
        super().setup()
        note("connected")
        connected.set()

    def do_GET(self):
        note("%s %s" % (self.command, self.path))
        found = WHEELS.get(self.path[1:])
        self.send(200 if found else 404, found or b"")

    do_HEAD = do_GET


index, files = (http.server.ThreadingHTTPServer(("127.0.0.1", 0), h) for h in (Index, Files))
for server in index, files:
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
with open(sys.argv[1] + ".new", "w") as f:
    f.write("%d %d\n" % (index.server_port, files.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
parent = os.getppid()
while os.getppid() == parent:
    threading.Event().wait(1)
