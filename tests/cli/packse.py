"""The scenarios of packse (Astral's, MIT or Apache-2.0) that ask about one target: an index is made from the files, gpuferry plans each, and the
outcome is compared with what the scenario says. usage: packse.py GPUFERRY FOLDER-OF-THE-SDIST [UV-OR-PIP…]

A path of uv or of a pip is asked the same, and its right answers are counted: by the same expectations, and by those that the scenarios themselves have. A pip
answers as itself for its own Python (give one of Python 3.12, which most scenarios have), and for another one with --python-version, wheels only.

Those whose answer needs a build of a source archive are right when the plan takes the archive: gpuferry plans it, and says that the target must
build it. Seven scenarios were written for an older rule about pre-releases; by the newer one of uv a pre-release is taken when only those fit. They are named below with
the outcome expected by that rule."""
import hashlib
import http.server
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import tomllib
import zipfile

NEWER_RULE = {  # what uv answers by the newer rule
    "package-only-prereleases-in-range": {"a": "1.0.0a1"},
    "package-prerelease-specified-mixed-available": {"a": "0.3.0"},
    "package-prereleases-specifier-boundary": {"a": "0.1.0"},
    "transitive-package-only-prereleases-in-range": {"a": "0.1.0", "b": "1.0.0a1"},
    "transitive-prerelease-and-stable-dependency": {"a": "1.0.0", "b": "1.0.0", "c": "2.0.0b1"},
    "transitive-prerelease-and-stable-dependency-many-versions": {"a": "1.0.0", "b": "1.0.0", "c": "2.0.0b9"},
    "transitive-prerelease-and-stable-dependency-many-versions-holes": {"a": "1.0.0", "b": "1.0.0", "c": "2.0.0b4"},
}


def norm(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def metadata(name, version, v):
    lines = ["Metadata-Version: 2.3", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {r}" for r in v.get("requires", [])]
    python = v.get("requires_python", ">=3.12")
    if python:
        lines.append(f"Requires-Python: {python}")
    for extra, reqs in v.get("extras", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        for r in reqs:
            r, _, marker = r.partition(";")
            marker = f"({marker.strip()}) and " if marker else ""
            lines.append(f"Requires-Dist: {r.strip()}; {marker}extra == '{extra}'")
    return "\n".join(lines) + "\n"


def wheel(name, version, text):
    out = io.BytesIO()
    info = f"{stem_of(name, version)}.dist-info"
    with zipfile.ZipFile(out, "w") as z:
        z.writestr(f"{info}/METADATA", text)
        z.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr(f"{info}/RECORD", "")
    return out.getvalue()


# pip builds an archive to know what it requires: this one can be, with nothing else
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = '''import os
STEM, METADATA = %r, %r
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = STEM + ".dist-info"
    os.mkdir(os.path.join(folder, info))
    with open(os.path.join(folder, info, "METADATA"), "w") as f:
        f.write(METADATA)
    with open(os.path.join(folder, info, "WHEEL"), "w") as f:
        f.write("Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    return info
def build_wheel(folder, config_settings=None, metadata_directory=None):
    raise NotImplementedError
'''


def stem_of(name, version):
    return f"{norm(name).replace('-', '_')}-{version}"


def sdist(name, version, text):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        top = stem_of(name, version)
        data = text.encode()
        info = tarfile.TarInfo(f"{top}/PKG-INFO")
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
        for path, content in (("pyproject.toml", PYPROJECT), ("backend.py", BACKEND % (stem_of(name, version), text))):
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size = len(content.encode())
            t.addfile(info, io.BytesIO(content.encode()))
    return out.getvalue()


def write_index(scenario, root):
    for name, package in scenario.get("packages", {}).items():
        folder = root / norm(name)
        folder.mkdir(parents=True)
        rows = []
        for version, v in package.get("versions", {}).items():
            text = metadata(name, version, v)
            stem = stem_of(name, version)
            files = []
            if v.get("wheel", True):
                files += [(f"{stem}-{tag}.whl", wheel(name, version, text)) for tag in v.get("wheel_tags") or ["py3-none-any"]]
            if v.get("sdist", True):
                files.append((f"{stem}.tar.gz", sdist(name, version, text)))
            for filename, data in files:
                (folder / filename).write_bytes(data)
                row = {"filename": filename, "url": filename, "hashes": {"sha256": hashlib.sha256(data).hexdigest()}, "size": len(data),
                       "yanked": v.get("yanked", False)}
                if v.get("requires_python", ">=3.12"):
                    row["requires-python"] = v.get("requires_python", ">=3.12")
                rows.append(row)
        page = {"meta": {"api-version": "1.1"}, "name": norm(name), "files": rows, "versions": list(package.get("versions", {}))}
        (folder / "index.json").write_text(json.dumps(page))


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send_head(self):
        path = pathlib.Path(self.translate_path(self.path))
        if path.is_dir():
            path = path / "index.json"
        if not path.is_file():
            self.send_error(404)
            return None
        data = path.read_bytes()
        self.send_response(200)
        kind = "application/vnd.pypi.simple.v1+json" if path.suffix == ".json" else "application/octet-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        return io.BytesIO(data)


def plan(gpuferry, url, scenario, work):
    options = scenario.get("resolver_options", {})
    python = options.get("python") or scenario.get("environment", {}).get("python", "3.12")
    command = [gpuferry, "plan", *scenario["root"]["requires"], "--json", "-o", str(work / "lock"), "--index-url", url, "--sources", "default", "--accelerator",
               "any", "--arch", "x86_64", "--os", "ubuntu-24.04", "--python", python, "--no-installer", "--refresh"]
    if options.get("prereleases"):
        command.append("--pre")
    for name in options.get("no_build", []):
        command += ["--only-binary", name]
    for name in options.get("no_binary", []):
        command += ["--no-binary", name]
    env = dict(os.environ, GPUFERRY_CACHE=str(work / "cache"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    if done.returncode == 0:
        return {norm(p["name"]): p["version"] for p in json.loads((work / "lock").read_text())["python"]}, ""
    if done.returncode == 1:
        return None, done.stdout
    raise RuntimeError(f"exit {done.returncode}: {done.stderr}")


def by_uv(uv, url, scenario, work):
    options = scenario.get("resolver_options", {})
    python = options.get("python") or scenario.get("environment", {}).get("python", "3.12")
    command = [uv, "pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-python-downloads", "--python", sys.executable, "--python-version", python,
               "--python-platform", "x86_64-manylinux_2_28", "--index-url", url, "--cache-dir", str(work / "uv")]
    if options.get("prereleases"):
        command += ["--prerelease", "allow"]
    for name in options.get("no_build", []):
        command += ["--only-binary", name]
    for name in options.get("no_binary", []):
        command += ["--no-binary", name]
    return pins(subprocess.run(command, input="\n".join(scenario["root"]["requires"]), capture_output=True, text=True, timeout=120))


def own_python(pip):
    if pip not in PYTHONS:
        PYTHONS[pip] = subprocess.run([pip, "--version"], capture_output=True, text=True).stdout.rsplit("(python ", 1)[1].strip(" )\n")
    return PYTHONS[pip]


PYTHONS = {}


def by_pip(pip, url, scenario, work):
    options = scenario.get("resolver_options", {})
    python = options.get("python") or scenario.get("environment", {}).get("python", "3.12")
    command = [pip, "install", "--dry-run", "--ignore-installed", "--quiet", "--no-cache-dir", "--report", "-", "--index-url", url, "--disable-pip-version-check"]
    if options.get("prereleases"):
        command.append("--pre")
    if not (python + ".").startswith(own_python(pip) + "."):
        command += ["--python-version", python, "--only-binary", ":all:", "--target", str(work / "pip")]
    for name in options.get("no_build", []):
        command += ["--only-binary", name]
    for name in options.get("no_binary", []):
        command += ["--no-binary", name]
    env = {k: v for k, v in os.environ.items() if k not in ("PIP_FIND_LINKS", "PIP_NO_INDEX")}
    done = subprocess.run([*command, *scenario["root"]["requires"]], capture_output=True, text=True, timeout=120, env=env)
    if done.returncode:
        return None
    return {norm(i["metadata"]["name"]): i["metadata"]["version"] for i in json.loads(done.stdout)["install"]}


def pins(done):
    if done.returncode:
        return None
    return {norm(line.split("==")[0]): line.split("==")[1].split(";")[0].strip() for line in done.stdout.splitlines() if "==" in line}


def is_right(scenario, answer):
    """What the scenario says, or for those of the older rule what the newer one says."""
    if not root_python_fits(scenario):
        answer = None
    if scenario["name"] in NEWER_RULE:
        return answer == NEWER_RULE[scenario["name"]]
    expected = scenario["expected"]
    return (answer is not None) == expected["satisfiable"] and not (answer is not None and any(answer.get(norm(k)) != v for k, v in (expected.get("packages") or {}).items()))


def root_python_fits(scenario):
    """The root's own requires-python against the Python of the solve, by packaging's rules in short."""
    python = scenario.get("resolver_options", {}).get("python") or scenario.get("environment", {}).get("python", "3.12")
    want = scenario["root"].get("requires_python", "")
    have = tuple(int(x) for x in (python + ".0.0").split(".")[:3])
    for spec in filter(None, (s.strip() for s in (want or "").split(","))):
        op, number = re.match(r"(>=|<=|==|!=|<|>)\s*([\d.]+)", spec).groups()
        bound = tuple(int(x) for x in (number + ".0.0").split(".")[:3])
        if not {">=": have >= bound, "<=": have <= bound, "==": have == bound, "!=": have != bound, "<": have < bound, ">": have > bound}[op]:
            return False
    return True


def main():
    gpuferry, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    paths = sorted(p for p in source.rglob("scenarios/**/*.toml") if "examples" not in p.parts)
    right = wrong = own = 0
    peers = {peer: [0, 0] for peer in sys.argv[3:]}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "index"
        root.mkdir()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Handler(*a, directory=str(root)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for number, path in enumerate(paths):
            scenario = tomllib.loads(path.read_text())
            if scenario.get("resolver_options", {}).get("universal"):
                continue
            name = scenario["name"]
            write_index(scenario, root / str(number))
            work = pathlib.Path(folder) / f"work{number}"
            work.mkdir()
            address = f"http://127.0.0.1:{server.server_port}/{number}/"
            ours, why = plan(gpuferry, address, scenario, work)
            if name in NEWER_RULE:
                print(f"by the newer rule for pre-releases: {name}: {ours}")
            ok = is_right(scenario, ours)
            own += is_right({**scenario, "name": ""}, ours)
            for peer in peers:
                answer = (by_pip if os.path.basename(peer).startswith("pip") else by_uv)(peer, address, scenario, work)
                peers[peer][0] += is_right(scenario, answer)
                peers[peer][1] += is_right({**scenario, "name": ""}, answer)
            right += ok
            wrong += not ok
            if not ok:
                print(f"WRONG {path.parent.name}/{name}: expected {scenario['expected']}, got {ours}\n{why}")
        server.shutdown()
    for peer, (newer, old) in peers.items():
        print(f"{os.path.basename(peer)}: {newer} of {right + wrong} right, {old} by the scenarios' own answers")
    print(f"gpuferry: {right} of {right + wrong} right, {own} by the scenarios' own answers")
    print(f"{right} passed, {wrong} failed")
    sys.exit(wrong > 0 or not right)


main()
