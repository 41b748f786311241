"""A small Python index on loopback that can misbehave.    usage: index.py PORTFILE [LOG]

Writes its port to PORTFILE when it listens. http://127.0.0.1:PORT/FAULT/simple/ is an index (PEP 691) of three wheels: alpha 1.0 and 2.0, which require beta,
and beta 1.5. FAULT says what goes wrong:
    ok                  nothing
    page-404 page-503 page-cut page-garbage page-html       index pages
    file-404 file-503 file-cut file-size file-sha256        whole files: status, half a body, other bytes than the page's size or digest say
    file-drop           the first request of each file is cut in the middle, later ones are served
    file-slow           files come at about 100 kB/s
Part of a file can be asked for by Range. Every request is a line of LOG: method, path, range.
"""
import hashlib
import http.server
import io
import json
import os
import sys
import threading
import time
import zipfile

FILLER = hashlib.sha256(b"filler").digest() * 20000  # 640 kB, so that a body can be cut in the middle


def wheel(name, version, requires):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
        def add(path, data):
            z.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), data)
        info = "%s-%s.dist-info/" % (name, version)
        add(name + "/__init__.py", "__version__ = %r\n" % version)
        add(name + "/filler.bin", FILLER)
        add(info + "METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s" % (name, version, "".join("Requires-Dist: %s\n" % r for r in requires)))
        add(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        add(info + "RECORD", "%s/__init__.py,,\n%s/filler.bin,,\n%sMETADATA,,\n%sWHEEL,,\n%sRECORD,,\n" % (name, name, info, info, info))
    return out.getvalue()


FILES = {"%s-%s-py3-none-any.whl" % (n, v): wheel(n, v, r) for n, v, r in [("alpha", "1.0", ["beta"]), ("alpha", "2.0", ["beta>=1"]), ("beta", "1.5", [])]}
seen, lock = set(), threading.Lock()


def page(name, fault):
    files = []
    for file, data in sorted(FILES.items()):
        if file.startswith(name + "-"):
            files.append({"filename": file, "url": "../../files/" + file, "size": len(data), "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
                          "upload-time": "2024-01-01T00:00:00Z", "yanked": False})
    if not files:
        return None
    if fault == "page-html":
        return "<!DOCTYPE html><html><body>%s</body></html>" % "".join(
            '<a href="%s#sha256=%s">%s</a>' % (f["url"], f["hashes"]["sha256"], f["filename"]) for f in files)
    return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "versions": sorted({f["filename"].split("-")[1] for f in files}), "files": files})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body, kind, first=None, total=None, cut=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Accept-Ranges", "bytes")
        if first is not None:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, first + len(body) - 1, total))
        self.end_headers()
        if cut:
            self.wfile.write(body[:len(body) // 2])
            self.close_connection = True
            return
        if self.path.split("/")[1] == "file-slow":
            for i in range(0, len(body), 10000):
                self.wfile.write(body[i:i + 10000])
                self.wfile.flush()
                time.sleep(0.1)
            return
        self.wfile.write(body)

    def file(self, fault, name):
        data = FILES.get(name)
        if data is None:
            return self.answer(404, b"no such file", "text/plain")
        first, last = 0, len(data) - 1
        want = self.headers.get("Range", "")
        if want.startswith("bytes="):
            a, _, b = want[6:].partition("-")
            first, last = (int(a), min(int(b or last), last)) if a else (max(len(data) - int(b), 0), last)
            if first > last:
                return self.answer(416, b"", "text/plain")
        whole = last - first + 1 > 100000  # the tails that hold metadata stay right
        with lock:
            again = (fault, name) in seen
            if whole:
                seen.add((fault, name))
        if whole and fault in ("file-404", "file-503"):
            return self.answer(int(fault[5:]), b"no", "text/plain")
        if whole and fault == "file-size":
            data, last = data + b"more", last + (0 if want else 4)
        if whole and fault == "file-sha256":
            data = data[:1000] + bytes([data[1000] ^ 1]) + data[1001:]
        body = data[first:last + 1]
        cut = whole and (fault == "file-cut" or (fault == "file-drop" and not again))
        if want:
            return self.answer(206, body, "application/octet-stream", first, len(data), cut)
        return self.answer(200, body, "application/octet-stream", cut=cut)

    def do_GET(self):
        if len(sys.argv) > 2:
            with lock, open(sys.argv[2], "a") as f:
                f.write("%s %s %s\n" % (self.command, self.path, self.headers.get("Range", "-")))
        parts = self.path.strip("/").split("/")
        fault, where, name = parts[0], parts[1] if len(parts) > 1 else "", parts[2] if len(parts) > 2 else ""
        if where == "files":
            return self.file(fault, name)
        text = page(name, fault) if where == "simple" and name else None
        if fault in ("page-404", "page-503"):
            return self.answer(int(fault[5:]), b"no", "text/plain")
        if text is None:
            return self.answer(404, b"no such project", "text/plain")
        if fault == "page-garbage":
            text = text[:len(text) // 2] + "}}" + text[len(text) // 2:]
        kind = "text/html" if fault == "page-html" else "application/vnd.pypi.simple.v1+json"
        return self.answer(200, text.encode(), kind, cut=fault == "page-cut")

    def do_HEAD(self):
        self.answer(405, b"", "text/plain")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(server.server_address[1]))

os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
