"""usage: faulty_server.py FOLDER PORT_FILE: serves the files of FOLDER on 127.0.0.1 with ranges, and faults by the first part of the path:
/ok/F as it is · /cut/F the connection ends half way, always · /flip/F one byte changed · /gone/F 404 · /short/F only half of it, said to be all · /long/F more than it is ·
/slow/F 1 MB/s · /norange/F without ranges · /once/F cut half way the first time. A line "METHOD PATH RANGE" for each request goes to PORT_FILE.log."""
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder, port_file = sys.argv[1:3]
seen = set()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        with open(port_file + ".log", "a") as log:
            log.write(f"{self.command} {self.path} {self.headers.get('Range', '-')}\n")
        _, fault, name = (self.path.split("/", 2) + ["", ""])[:3]
        try:
            data = open(os.path.join(folder, os.path.basename(name)), "rb").read()
        except OSError:
            data = None
        if data is None or fault == "gone":
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if fault == "flip":
            data = data[:len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1:]
        if fault == "short":
            data = data[:len(data) // 2]
        if fault == "long":
            data += b"more"
        first, last, total = 0, len(data) - 1, len(data)
        wanted = self.headers.get("Range")
        if wanted and fault != "norange":
            a, _, b = wanted.removeprefix("bytes=").partition("-")
            first, last = (int(a), min(int(b), last) if b else last) if a else (max(0, total - int(b)), last)
            if first > last:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{total}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{total}")
        else:
            self.send_response(200)
        body = data[first:last + 1]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = fault == "cut" or (fault == "once" and self.path not in seen)
        seen.add(self.path)
        if cut:
            self.wfile.write(body[:len(body) // 2])
            self.close_connection = True
            return
        step = 65536 if fault == "slow" else len(body) or 1
        for at in range(0, len(body), step):
            self.wfile.write(body[at:at + step])
            if fault == "slow":
                time.sleep(step / 1e6)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None  # clients go away in the middle: that is the test
with open(port_file + ".new", "w") as f:
    f.write(str(server.server_port))
os.rename(port_file + ".new", port_file)
server.serve_forever()
