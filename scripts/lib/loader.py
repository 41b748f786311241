"""Makes the CUDA libraries that a plan brought for a package be found by it.

Some packages (onnxruntime-gpu, paddlepaddle-gpu, cupy, ctranslate2) link or open CUDA libraries and name no wheel that has them. The plan adds such wheels;
they lie in site-packages/nvidia, where those packages do not look. Run in the new environment with the lock as its argument, this
  1. links the libraries into the folders that the package's own libraries are searched in (their RUNPATH below $ORIGIN), also by the name without a version;
  2. writes a hook that loads them when the package is imported, so that whoever names them by soname finds them: in this process only, when needed only.
Packages that name those wheels themselves know where they lie and are left alone. Exit status 0, or 1 with a reason."""
import ctypes
import importlib.metadata as metadata
import json
import os
import re
import struct
import sys
import sysconfig

SITE = sysconfig.get_path("purelib")
HOOK = '''"""Written by install.sh: loads the libraries that were brought for a package before it looks for them."""
import sys

LIBRARIES = %s


class _Libraries:
    @staticmethod
    def find_spec(name, path=None, target=None):
        for library in LIBRARIES.get(name, ()):
            import ctypes
            import os
            try:
                ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), library))
            except OSError:
                pass  # one of the driver's may be missing here; the package says so when it needs it
        return None


sys.meta_path.insert(0, _Libraries)
'''
PT_LOAD, PT_DYNAMIC = 1, 2
DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 14, 15, 29
MAX_TEXT = 4096
SAME = {"libgomp.so.1": "libiomp5.so"}  # a package may carry one library that has the interface of another, which a bare system lacks
SELDOM = "libnvblas", "libOpenCL"  # stand for other libraries; nobody opens them without being told to


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


class Elf:
    """What the dynamic section of a 64-bit little-endian shared library says; ValueError when the file is none."""

    def __init__(self, path):
        with open(path, "rb") as self.file:
            head = self.at(0, 64)
            if head[:6] != b"\x7fELF\x02\x01":
                raise ValueError("not a 64-bit little-endian ELF file")
            offset, = struct.unpack_from("<Q", head, 32)
            size, count = struct.unpack_from("<HH", head, 54)
            segments = [struct.unpack_from("<IIQQQQQQ", self.at(offset + i * size, 56)) for i in range(min(count, 256))]
            self.loads = [(s[3], s[2], s[5]) for s in segments if s[0] == PT_LOAD]  # address, offset, size
            self.read_dynamic(next(((s[2], s[5]) for s in segments if s[0] == PT_DYNAMIC), (0, 0)))

    def at(self, offset, size):
        self.file.seek(offset)
        data = self.file.read(size)
        if len(data) != size:
            raise ValueError("cut off")
        return data

    def text(self, offset):
        self.file.seek(offset)
        return self.file.read(MAX_TEXT).split(b"\0")[0].decode("utf-8", "replace")

    def read_dynamic(self, where):
        entries = list(struct.iter_unpack("<QQ", self.at(where[0], min(where[1], 1 << 16) & ~15)))
        strings = next((value for tag, value in entries if tag == DT_STRTAB), None)
        base = next((offset + strings - address for address, offset, size in self.loads if strings is not None and address <= strings < address + size), None)
        texts = [(tag, self.text(base + value)) for tag, value in entries if base is not None and tag in (DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH)]
        self.needed = [t for tag, t in texts if tag == DT_NEEDED]
        self.soname = next((t for tag, t in texts if tag == DT_SONAME), "")
        self.search = [p for tag, t in texts if tag in (DT_RPATH, DT_RUNPATH) for p in t.split(":")]


def libraries_of(dist):
    """Its shared libraries: path below site-packages → Elf."""
    found = {}
    for f in dist.files or []:
        path = os.path.normpath(str(f))
        if not re.search(r"\.so(\.[0-9.]+)?$", path) or path.startswith(("..", os.sep)) or os.path.islink(os.path.join(SITE, path)):
            continue
        try:
            found[path] = Elf(os.path.join(SITE, path))
        except (OSError, ValueError, struct.error):
            continue
    return found


def declared(dist):
    """Names that a distribution itself requires, without any extra."""
    return {normal(re.match(r"[A-Za-z0-9._-]+", r).group()) for r in dist.requires or [] if "extra" not in r.partition(";")[2] and re.match(r"[A-Za-z0-9._-]+", r)}


def brought(packages, dists):
    """Client → names of the distributions that the plan added for its libraries, with those that they require."""
    requires = {n: [normal(r.split("==")[0]) for r in p.get("requires", [])] for n, p in packages.items()}
    for name in sorted(packages):
        if name not in dists:
            continue
        own, seen = declared(dists[name]), []
        todo = [r for r in requires[name] if r.startswith("nvidia-") and r not in own]
        while todo:
            one = todo.pop(0)
            if one not in seen and one in dists:
                seen.append(one)
                todo += requires.get(one, [])
        if seen:
            yield name, seen


def in_order(libraries, linked):
    """What to load at an import, each after those that it needs: all that the client links (sonames), and of the others those that are no part or variant
    of another one (libcudnn opens libcudnn_ops by itself)."""
    by_name = {elf.soname or os.path.basename(path): path for path, elf in libraries.items()}
    stems = {n.split(".so")[0] for n in by_name}
    order = []

    def visit(path):
        if path in order:
            return
        order.append(path)
        for needed in libraries[path].needed:
            if needed in by_name:
                visit(by_name[needed])
        order.remove(path)
        order.append(path)

    for name, path in sorted(by_name.items()):
        stem = name.split(".so")[0]
        if name in linked or re.search(r"\.so\.\d", name) and stem not in SELDOM and not any(s != stem and stem.startswith(s) for s in stems):
            visit(path)
    return order


def folders(client):
    """Folders in site-packages that the loader searches for the libraries of a client."""
    for path, elf in client.items():
        for entry in elf.search:
            if re.match(r"\$(ORIGIN|\{ORIGIN\})(/|$)", entry):
                folder = os.path.normpath(re.sub(r"\$(ORIGIN|\{ORIGIN\})", os.path.dirname(path).replace("\\", "/"), entry))
                if not folder.startswith(("..", os.sep, "nvidia" + os.sep)) and folder != "." and os.path.isdir(os.path.join(SITE, folder)):
                    yield folder


def link(folder, path, elf):
    """Links a library into a folder by its name, its soname and the name without a version; what is there stays. Number of links."""
    made = 0
    target = os.path.relpath(path, folder)
    for name in {os.path.basename(path), elf.soname or os.path.basename(path), os.path.basename(path).split(".so")[0] + ".so"}:
        place = os.path.join(SITE, folder, name)
        if "/" in name or os.path.lexists(place) and not os.path.islink(place):
            continue
        if os.path.islink(place):
            if os.readlink(place) == target:
                continue
            os.unlink(place)
        os.symlink(target, place)
        made += 1
    return made


def beside(opener, opened, libraries):
    """Links what one of the libraries opens by its name without a version into the opener's folder, where it is searched. Number of links."""
    made = 0
    for folder in {os.path.dirname(path) for path in libraries if os.path.basename(path).startswith(opener + ".so")}:
        for path in sorted(path for path in libraries if os.path.basename(path).startswith(opened + ".so.")):
            place = os.path.join(SITE, folder, opened + ".so")
            if not os.path.lexists(place):
                os.symlink(os.path.relpath(path, folder), place)
                made += 1
    return made


def loads(name):
    try:
        ctypes.CDLL(name)
        return True
    except OSError:
        return False


def stand_in(client, places):
    """Links what the package carries under the name of what it links and this system does not have."""
    wanted = {n for elf in client.values() for n in elf.needed if n in SAME}
    for folder in places:
        for name in sorted(wanted):
            own = os.path.join(SITE, folder, SAME[name])
            if os.path.isfile(own) and not os.path.lexists(os.path.join(SITE, folder, name)) and not loads(name):
                os.symlink(SAME[name], os.path.join(SITE, folder, name))
                print("%s is not on this system: %s of the package stands for it" % (name, SAME[name]))


def modules_of(dist):
    parts = {(f.parts[0] if len(f.parts) > 1 else f.parts[0].split(".")[0]) for f in dist.files or [] if f.suffix in (".py", ".so")}
    return sorted(p for p in parts if p.isidentifier())


def write(name, text):
    path = os.path.join(SITE, name)
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())
    os.replace(path + ".new", path)


def main(lock):
    with open(lock, encoding="utf-8") as f:
        packages = {normal(p["name"]): p for p in json.load(f).get("python", [])}
    dists = {normal(d.metadata["Name"]): d for d in metadata.distributions(path=[SITE]) if d.metadata["Name"]}
    hook = {}
    for name, providers in brought(packages, dists):
        libraries = {}
        for provider in providers:
            libraries.update(libraries_of(dists[provider]))
        if not libraries:
            continue
        client = libraries_of(dists[name])
        places = sorted(set(folders(client)))
        made = sum(link(place, path, elf) for place in places for path, elf in libraries.items())
        made += beside("libcublasLt", "libnvrtc", libraries)  # cuBLAS of CUDA 11 does
        stand_in(client, places)
        order = in_order(libraries, {n for elf in client.values() for n in elf.needed})
        for module in modules_of(dists[name]):
            hook.setdefault(module, []).extend(p for p in order if p not in hook.get(module, []))
        print("%s: %d libraries of %s, %d links in %s" % (name, len(libraries), ", ".join(providers), made, ", ".join(places) or "no folder"))
    if hook:
        write("_gpuferry_libraries.py", HOOK % json.dumps(hook, indent=4, sort_keys=True))
        write("gpuferry-libraries.pth", "import _gpuferry_libraries\n")


if __name__ == "__main__":
    main(sys.argv[1])
