#!/usr/bin/env python3
"""A package index on this machine, for tests: real HTTP/1.1 over a real socket, with the faults that indexes have.

usage: replica.py [--dir FOLDER] [--packages FILE] [--log FILE] [--auth USER:PASSWORD] [--tls CERT KEY] [--port N]
Prints its base URL ("http://127.0.0.1:PORT") as the first line, then serves until it is killed or whoever started it is gone.

It stands for
  /simple/NAME/                  a Python index: PEP 691 JSON (api 1.1: size, upload-time) or PEP 503 HTML, chosen by Accept
  /links/                        a flat page with every file (find-links)
  /whl/VARIANT/NAME/             PyTorch's own index: HTML only, one folder for each build variant (cpu, cu118, cu126 …), files of that local
                                 version ("+cu126" in the name, "%2B" in the URL) or of none, absolute paths, sha256 in the fragment
  /packages/stable/VARIANT/NAME/ Paddle's index: HTML only, full URLs, no digests; every file below variants/VARIANT of the folder, or
                                 in the packages file with that "variant"
  /files/NAME                    the files; FILE.metadata is their METADATA (PEP 658)

A prefix /with/OPTION,OPTION…/ in front of any of these switches on options, and the links of its pages keep the prefix:
  html json            this form whatever Accept says            658          advertise core metadata (and serve it)
  old658               advertise by the older key only           658-lie      advertise a wrong digest of it
  no-size no-sha256    leave these out of the page               no-ranges    answer 200 to range requests
  size+N sha256-lie    the page says so                          bare-658     advertise without a digest
  etag max-age=N last-modified                                   gzip         pages with Content-Encoding: gzip
  page-/file-/body- before one of these limits it to pages, to files, or to files asked for as a whole or by more than 100,000 bytes (without: all):
  status=CODExN        answer CODE to the first N requests of each path (CODE alone: always); status 429 and 503 carry Retry-After: 0
  truncate=N           announce the whole length, break the connection after N bytes (truncate=NxK: only the first K times)
  slow=MS              wait before the answer                    stall=N      send N bytes, then nothing more
  redirect             302 to the same path without this option  redirect-to=PORT  302 to http://127.0.0.1:PORT/…
  loop                 302 to itself                             garbage      a body that is no page and no wheel
  only=NAME            what follows it counts for files whose name begins with NAME
Requests with a full URL in the request line (as a proxy gets them) are answered too. The log has one line for each request:
METHOD PATH STATUS RANGE(or -) and "proxied", "auth" where that applies.

The packages file is a JSON list: {"filename": …, "requires": […], "requires_python": …, "metadata": "more header lines", "pad": BYTES, "pad_after":
BYTES, "yanked": …, "uploaded": "2024-01-02T03:04:05Z", "variant": …, "members": {PATH: TEXT}}. Wheels and source archives (.tar.gz) are made of it, the same
bytes each time; "pad" puts that many incompressible bytes before the metadata, "pad_after" behind it. NAME-VERSION-variants.json holds "json", or "text" as it is.
"""
import argparse, base64, gzip, hashlib, html, http.server, io, json, os, random, re, ssl, sys, tarfile, threading, time, urllib.parse, zipfile  # noqa: E401


def normalize(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def project_of(filename):
    if filename.endswith("-variants.json"):
        return normalize(filename.split("-")[0])
    return normalize(filename.split("-")[0] if filename.endswith(".whl") else filename.rsplit("-", 1)[0])


def version_of(filename):
    stem = re.sub(r"\.(whl|tar\.gz|zip|tar\.xz|tar\.bz2)$", "", filename)
    return stem.split("-")[1] if filename.endswith((".whl", "-variants.json")) else stem.rsplit("-", 1)[1]


def noise(seed, n):
    return random.Random(seed).randbytes(n)


def metadata_text(p):
    name = p["filename"].split("-")[0]
    lines = ["Metadata-Version: " + p.get("metadata_version", "2.1"), "Name: " + name, "Version: " + version_of(p["filename"])]
    if p.get("requires_python"):
        lines.append("Requires-Python: " + p["requires_python"])
    lines += ["Requires-Dist: " + r for r in p.get("requires", [])]
    if p.get("metadata"):
        lines += p["metadata"].splitlines()
    return "\n".join(lines) + "\n\nA package made for tests.\n"


def make_wheel(p):
    name, version = p["filename"].split("-")[:2]
    info = f"{name}-{version}.dist-info"
    members = dict(p.get("members") or {f"{name}/__init__.py": f"version = {version!r}\n"})
    parts = p["filename"][:-4].split("-")[2:]
    tags = "-".join(parts[1:4] if parts[0][0].isdigit() else parts[:3])
    out, record = io.BytesIO(), []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        def add(path, data, stored=False):
            data = data.encode() if isinstance(data, str) else data
            record.append(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}")
            z.writestr(zipfile.ZipInfo(path, (2024, 1, 1, 0, 0, 0)), data, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
        for path, text in members.items():
            add(path, text)
        if p.get("pad"):
            add(f"{name}/pad.bin", noise(p["filename"], p["pad"]), True)
        if p.get("variant_json"):
            add(f"{info}/variant.json", json.dumps(p["variant_json"]))
        add(f"{info}/METADATA", p.get("METADATA") or metadata_text(p))
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: replica\nRoot-Is-Purelib: {str('any' in tags).lower()}\nTag: {tags}\n")
        if p.get("pad_after"):
            add(f"{name}/after.bin", noise("after" + p["filename"], p["pad_after"]), True)
        z.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2024, 1, 1, 0, 0, 0)), "\n".join(record + [f"{info}/RECORD,,"]) + "\n", zipfile.ZIP_DEFLATED)
    return out.getvalue()


def make_sdist(p):
    top = p["filename"][: -len(".tar.gz")]
    members = {"PKG-INFO": p.get("METADATA") or metadata_text(p), "setup.py": "raise SystemExit('ran')\n", **(p.get("members") or {})}
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as t:
        for path, text in members.items():
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size = len(text.encode())
            t.addfile(info, io.BytesIO(text.encode()))
    return gzip.compress(raw.getvalue(), mtime=0)


class File:
    def __init__(self, filename, data, entry=None, variant=None):
        self.filename, self.data, self.entry, self.variant = filename, data, entry or {}, variant
        self.sha256 = hashlib.sha256(data).hexdigest()
        self.project = project_of(filename)

    def metadata(self):
        with zipfile.ZipFile(io.BytesIO(self.data)) as z:
            return next((z.read(n) for n in z.namelist() if n.endswith(".dist-info/METADATA")), None)


def load(folder, packages):
    files = []
    for root, _, names in os.walk(folder) if folder else []:
        rel = os.path.relpath(root, folder).split(os.sep)
        for n in sorted(names):
            if n.endswith((".whl", ".tar.gz", ".zip")):
                with open(os.path.join(root, n), "rb") as f:
                    files.append(File(n, f.read(), variant=rel[1] if len(rel) > 1 and rel[0] == "variants" else None))
    for p in packages:
        if p["filename"].endswith(".json"):
            data = p["text"].encode() if "text" in p else json.dumps(p["json"]).encode()
        else:
            data = (make_wheel if p["filename"].endswith(".whl") else make_sdist)(p)
        files.append(File(p["filename"], data, p, p.get("variant")))
    return files


class Options(dict):
    def __init__(self, text, kinds, filename=""):
        super().__init__()
        self.text = text
        only = ""
        for o in filter(None, text.split(",")):
            if o.startswith("only="):
                only = o[5:]
                continue
            if not filename.startswith(only):
                continue
            scope, rest = re.match(r"(?:(page|file|body)-)?(.*)", o).groups()
            key, _, value = rest.partition("=")
            if key.startswith("size+"):
                key, value = "size+", key[5:]
            if scope is None or scope in kinds:
                self[key] = value


def times(value):
    first, _, n = value.partition("x")
    return int(first), int(n) if n else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "replica"

    def log_message(self, *a):
        pass

    def note(self, status, extra=""):
        with self.server.lock:
            if self.server.log:
                self.server.log.write(f"{self.command} {self.path} {status} {self.headers.get('Range', '-')}{extra}\n")
                self.server.log.flush()

    def count(self, key):
        with self.server.lock:
            self.server.seen[key] = self.server.seen.get(key, 0) + 1
            return self.server.seen[key]

    def send(self, status, body=b"", headers=()):
        self.note(status, self.extra)
        self.send_response(status)
        for k, v in headers:
            self.send_header(k, v)
        if not any(k == "Content-Length" for k, _ in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        self.extra = ""
        path = self.path
        if path.startswith("http://"):
            path, self.extra = "/" + path.split("/", 3)[3], " proxied"
        if self.server.auth and self.headers.get("Authorization") != "Basic " + base64.b64encode(self.server.auth.encode()).decode():
            return self.send(401, b"", [("WWW-Authenticate", 'Basic realm="x"')])
        if self.server.auth:
            self.extra += " auth"
        m = re.match(r"/with/([^/]*)(/.*)", path)
        text, rest = m.groups() if m else ("", path)
        rest = urllib.parse.unquote(rest.split("?")[0])
        page = not rest.startswith("/files/")
        o = Options(urllib.parse.unquote(text), ("page",) if page else ("file", "body") if self.wants_body(rest) else ("file",), "" if page else rest[len("/files/"):])
        if not self.misbehaves(o, path, rest):
            self.page(o, rest) if page else self.file(o, rest[len("/files/"):])

    def wants_body(self, rest):
        r = re.fullmatch(r"bytes=(\d+)-(\d+)|bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        tail = r and (r[1] and int(r[2]) - int(r[1]) < 100000 or r[4] and int(r[4]) < 100000)
        return not tail and not rest.endswith(".metadata")

    def misbehaves(self, o, path, rest):
        if "slow" in o:
            time.sleep(int(o["slow"]) / 1000)
        if "status" in o:
            code, n = times(o["status"])
            if n is None or self.count(("status", path)) <= n:
                self.send(code, b"", [("Retry-After", "0")] if code in (429, 503) else [])
                return True
        if "loop" in o:
            self.send(302, b"", [("Location", path)])
            return True
        if "redirect" in o:
            kept = ",".join(x for x in o.text.split(",") if not x.endswith("redirect"))
            self.send(302, b"", [("Location", (f"/with/{kept}" if kept else "") + urllib.parse.quote(rest))])
            return True
        if "redirect-to" in o:
            self.send(302, b"", [("Location", f"http://127.0.0.1:{o['redirect-to']}{urllib.parse.quote(rest)}")])
            return True
        return False

    def body(self, o, status, data, headers):
        headers = list(headers)
        if "etag" in o:
            headers.append(("ETag", f'"{hashlib.sha256(data).hexdigest()[:16]}"'))
        if "last-modified" in o:
            headers.append(("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"))
        if "max-age" in o:
            headers.append(("Cache-Control", f"max-age={o['max-age']}"))
        if "truncate" in o or "stall" in o:
            at, n = times(o.get("truncate") or o["stall"])
            if n is None or self.count(("cut", self.path)) <= n:
                self.send(status, data[:at], headers + [("Content-Length", str(len(data)))])
                self.close_connection = True
                self.wfile.flush()
                if "stall" in o:
                    time.sleep(20)
                return
        self.send(status, data, headers)

    def page(self, o, rest):
        prefix = f"/with/{o.text}" if o.text else ""
        m = re.fullmatch(r"/simple/([^/]+)/|/links/|/whl/([^/]+)/([^/]+)/|/packages/stable/([^/]+)/([^/]+)/", rest)
        if not m:
            return self.send(404)
        name = m[1] or m[3] or m[5]
        files = [f for f in self.server.files if name is None or f.project == normalize(name)]
        if m[2]:
            local = {f: version_of(f.filename).partition("+")[2] for f in files}
            files = [f for f in files if local[f] == m[2] or (not local[f] and f.variant in (None, m[2]))]
        elif m[4]:
            files = [f for f in files if f.variant == m[4]]
        elif name:
            files = [f for f in files if f.variant is None and "+" not in version_of(f.filename)]
        if not files:
            return self.send(404)
        if "garbage" in o:
            return self.body(o, 200, b"this is not a page\n", [("Content-Type", "text/plain")])
        as_json = "json" in o or ("html" not in o and not (m[2] or m[4]) and "+json" in self.headers.get("Accept", ""))
        kind = "json" if as_json else "html"
        full = f"http://{self.headers['Host']}" if m[4] else ""
        data = (self.as_json if as_json else self.as_html)(o, files, full + prefix, digests=not m[4])
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        fresh = [("Cache-Control", f"max-age={o['max-age']}")] if "max-age" in o else []
        if ("etag" in o and self.headers.get("If-None-Match") == tag) or ("last-modified" in o and self.headers.get("If-Modified-Since")):
            return self.send(304, b"", fresh)
        headers = [("Content-Type", f"application/vnd.pypi.simple.v1+{kind}" if not m[2] and not m[4] else "text/html")]
        if "gzip" in o and "gzip" in self.headers.get("Accept-Encoding", ""):
            data = gzip.compress(data, mtime=0)
            headers.append(("Content-Encoding", "gzip"))
        self.body(o, 200, data, headers)

    def core(self, o, f):
        """None, True, or the digest that is advertised."""
        if not f.filename.endswith(".whl") or not {"658", "old658", "658-lie", "bare-658"} & o.keys():
            return None
        return True if "bare-658" in o else "0" * 64 if "658-lie" in o else hashlib.sha256(f.metadata()).hexdigest()

    def as_json(self, o, files, prefix, digests):
        rows = []
        for f in files:
            row = {"filename": f.filename, "url": f"{prefix}/files/{urllib.parse.quote(f.filename, safe='')}", "hashes": {},
                   "requires-python": f.entry.get("requires_python"), "yanked": f.entry.get("yanked", False)}
            if "no-sha256" not in o:
                row["hashes"]["sha256"] = "f" * 64 if "sha256-lie" in o else f.sha256
            if "no-size" not in o:
                row["size"] = len(f.data) + int(o.get("size+", 0))
            if f.entry.get("uploaded"):
                row["upload-time"] = f.entry["uploaded"]
            core = self.core(o, f)
            if core:
                row["dist-info-metadata" if "old658" in o else "core-metadata"] = core if core is True else {"sha256": core}
            rows.append(row)
        return json.dumps({"meta": {"api-version": "1.1"}, "name": files[0].project, "files": rows}).encode()

    def as_html(self, o, files, prefix, digests):
        out = ['<!DOCTYPE html>\n<html><head><meta name="pypi:repository-version" content="1.0"><title>Links</title></head><body>']
        for f in files:
            digest = f"#sha256={'f' * 64 if 'sha256-lie' in o else f.sha256}" if digests and "no-sha256" not in o else ""
            attributes = ""
            if f.entry.get("requires_python"):
                attributes += f' data-requires-python="{html.escape(f.entry["requires_python"])}"'
            if f.entry.get("yanked") not in (None, False):
                attributes += f' data-yanked="{html.escape(f.entry["yanked"] if isinstance(f.entry["yanked"], str) else "")}"'
            core = self.core(o, f)
            if core:
                key = "data-dist-info-metadata" if "old658" in o else "data-core-metadata"
                attributes += f' {key}="{"true" if core is True else "sha256=" + core}"'
            out.append(f'<a href="{prefix}/files/{urllib.parse.quote(f.filename, safe="")}{digest}"{attributes}>{html.escape(f.filename)}</a><br/>')
        return ("\n".join(out) + "\n</body></html>\n").encode()

    def file(self, o, name):
        wanted, meta = (name[: -len(".metadata")], True) if name.endswith(".metadata") else (name, False)
        f = next((x for x in self.server.files if x.filename == wanted), None)
        if not f or (meta and not self.core(o, f)):
            return self.send(404)
        data = f.metadata() if meta else f.data
        if "garbage" in o:
            data = noise(name, len(data))
        r = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not r or "no-ranges" in o:
            return self.body(o, 200, data, [("Content-Type", "application/octet-stream")])
        if not r[1]:
            first, last = max(0, len(data) - int(r[2])), len(data) - 1
        else:
            first, last = int(r[1]), min(int(r[2] or len(data)), len(data) - 1)
        if first >= len(data) or first > last:
            return self.send(416, b"", [("Content-Range", f"bytes */{len(data)}")])
        self.body(o, 206, data[first:last + 1], [("Content-Range", f"bytes {first}-{last}/{len(data)}")])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # a client that goes away is no event


def main():
    a = argparse.ArgumentParser()
    for option in ("--dir", "--packages", "--log", "--auth"):
        a.add_argument(option)
    a.add_argument("--tls", nargs=2)
    a.add_argument("--port", type=int, default=0)
    a = a.parse_args()
    packages = []
    if a.packages:
        with open(a.packages, encoding="utf-8") as f:
            packages = json.load(f)
    server = Server(("127.0.0.1", a.port), Handler)
    server.files, server.seen, server.lock, server.auth = load(a.dir, packages), {}, threading.Lock(), a.auth
    server.log = open(a.log, "a", encoding="utf-8") if a.log else None
    if a.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*a.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(f"http{'s' if a.tls else ''}://127.0.0.1:{server.server_address[1]}", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)


main()
