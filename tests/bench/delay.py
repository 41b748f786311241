"""usage (as root): unshare -m python3 delay.py MS COMMAND…

Runs the command as if the default index were MS milliseconds away and back: the hosts of its pages and of its files are answered on loopback (in this mount
namespace's /etc/hosts) by a forwarder that opens a connection MS later and holds every piece of data back for half of it, in both directions. Bandwidth stays
as it is; TLS goes through untouched. Stands for `tc qdisc … netem delay`, which not every kernel has.
"""
import asyncio
import collections
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

from pip._internal.models.index import PyPI

PIECE = 1 << 16


def hosts_of_the_index():
    """Of its pages and of its files; the index is the one that pip uses."""
    told = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True).stdout.strip()
    url = (os.environ.get("PIP_INDEX_URL") or told or PyPI.simple_url).rstrip("/") + "/pip/"
    request = urllib.request.Request(url, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(request) as answer:
        files = json.load(answer)["files"]
    places = [urllib.parse.urlsplit(u) for u in (url, urllib.parse.urljoin(url, files[0]["url"]))]
    if any(p.scheme != "https" or p.port not in (None, 443) for p in places):
        sys.exit("the index is not on port 443 of https: its delay cannot be made here")
    return sorted({p.hostname for p in places})


async def pass_on(reader, writer, delay):
    """What is read now is written delay seconds from now; more is read meanwhile."""
    loop, waiting, more = asyncio.get_running_loop(), collections.deque(), asyncio.Event()

    async def write():
        while True:
            while not waiting:
                more.clear()
                await more.wait()
            due, piece = waiting.popleft()
            await asyncio.sleep(max(0, due - loop.time()))
            if not piece or writer.is_closing():
                return
            writer.write(piece)
            with contextlib.suppress(ConnectionError):
                await writer.drain()

    task = loop.create_task(write())
    try:
        while True:
            piece = await reader.read(PIECE)
            waiting.append((loop.time() + delay, piece))
            more.set()
            if not piece:
                break
        await task
        if writer.can_write_eof():
            writer.write_eof()
    except ConnectionError:
        task.cancel()


def forwarder(address, delay):
    async def connected(reader, writer):
        await asyncio.sleep(2 * delay)  # the handshake of TCP
        try:
            far_reader, far_writer = await asyncio.open_connection(*address)
            await asyncio.gather(pass_on(reader, far_writer, delay), pass_on(far_reader, writer, delay))
            far_writer.close()
        except OSError:
            pass
        writer.close()

    return connected


async def serve(places, delay, ready):
    for here, address in places:
        await asyncio.start_server(forwarder(address, delay), here, 443)
    ready.set()
    await asyncio.Event().wait()


def main():
    delay, argv = float(sys.argv[1]) / 2000, sys.argv[2:]
    places, lines = [], []
    for i, host in enumerate(hosts_of_the_index()):
        places.append(("127.0.7.%d" % (i + 1), socket.getaddrinfo(host, 443, socket.AF_INET, socket.SOCK_STREAM)[0][4]))
        lines.append("127.0.7.%d %s\n" % (i + 1, host))
    ready = threading.Event()
    threading.Thread(target=lambda: asyncio.run(serve(places, delay, ready)), daemon=True).start()
    if not ready.wait(10):
        sys.exit("the forwarder does not listen on port 443 of loopback")
    with tempfile.NamedTemporaryFile("w", prefix="bench-hosts-") as hosts, open("/etc/hosts") as old:
        hosts.write(old.read() + "".join(lines))
        hosts.flush()
        os.chmod(hosts.name, 0o644)
        subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
        try:
            sys.exit(subprocess.run(argv).returncode)
        finally:
            subprocess.run(["umount", "/etc/hosts"], check=False)


main()
