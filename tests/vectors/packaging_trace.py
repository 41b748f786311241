"""A pytest plugin: runs packaging's own tests and writes down what the library was asked and what it answered.

usage: VECTORS=FILE python -m pytest -p packaging_trace TESTS   (with this folder and packaging's src/ on PYTHONPATH)

One line of FILE is one question with its answer: fields behind tabs, the first names the kind, lists are joined by \\x1f, an answer is
"!" for a refusal or "=" and the text. vectors_run.c asks our functions the same. Lines "#TEST file collected traced" count the tests
of a file, and those that asked at least one such question.
"""

import collections
import os
import re
import sys

import packaging.markers as markers
import packaging.metadata as metadata
import packaging.requirements as requirements
import packaging.specifiers as specifiers
import packaging.utils as utils
import packaging.version as version
import tomli_w
from packaging import _manylinux, _musllinux, dependency_groups, pylock, tags

lines = {}
asked = 0
listening = True
# tests that put a wrong answer into an object to see whether it is looked at
POISONED = {"test_specifierset_contains_reads_cached_bounds"}
collected, traced = collections.Counter(), collections.Counter()


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\0")


def note(kind, *fields):
    global asked
    if not listening:
        return
    asked += 1
    flat = ["\x1f".join(f) if isinstance(f, (list, tuple)) else str(f) for f in fields]
    lines["\t".join([kind, *map(escape, flat)])] = None


def answer(text):
    return "=" + text


def wrap_init(cls, kind, refusal, describe):
    init = cls.__init__

    def __init__(self, *args, **kwargs):
        text = args[0] if args else next(iter(kwargs.values()), "")
        try:
            init(self, *args, **kwargs)
        except refusal:
            if isinstance(text, str):
                note(kind, text, "!")
            raise
        if isinstance(text, str) and not (kind == "specifier" and "," in text):
            twin = cls.__new__(cls)  # described in its place: some tests watch that an object has not been worked on yet
            init(twin, text)
            if (said := describe(twin)) is not None:
                note(kind, text, answer(said))

    cls.__init__ = __init__


def wrap_order(name, op):
    compare = getattr(version.Version, name)

    def method(self, other):
        got = compare(self, other)
        if isinstance(other, version.Version) and isinstance(got, bool):
            note("order", str(self), op, str(other), int(got))
        return got

    setattr(version.Version, name, method)


def excludes_pre(self, prereleases):
    return (self._prereleases if prereleases is None else prereleases) is False


def wrap_contains(cls):
    contains, filter_ = cls.contains, cls.filter

    def traced_contains(self, item, prereleases=None, **kwargs):
        got = contains(self, item, prereleases=prereleases, **kwargs)
        if not any(kwargs.values()):
            note("contains", str(self), str(item), int(excludes_pre(self, prereleases)), int(got))
        return got

    def traced_filter(self, iterable, prereleases=None, key=None):
        items = list(iterable)
        got = list(filter_(self, items, prereleases=prereleases, key=key))
        if key is None and all("\x1f" not in str(i) for i in items):
            mode = self.prereleases if prereleases is None else prereleases
            if self._prereleases is None and prereleases is None and mode is False:
                mode = None  # only a wish to leave them out that was uttered counts
            note("filter", str(self), {None: "default", True: "all", False: "none"}[mode], [str(i) for i in items], [str(i) for i in got])
        return iter(got)

    cls.contains, cls.filter = traced_contains, traced_filter


def marker_text(marker):
    try:
        return str(marker)
    except ValueError:  # both kinds of quotes in one value: it has no text
        return None


environment = None
depth = 0


def wrap_markers():
    evaluate_list = markers._evaluate_markers

    def _evaluate_markers(marker, env):
        global environment, depth
        if depth == 0:
            environment = dict(env)
        depth += 1
        try:
            return evaluate_list(marker, env)
        finally:
            depth -= 1

    markers._evaluate_markers = _evaluate_markers
    for name in ("evaluate", "evaluate_prepared"):
        setattr(markers.Marker, name, traced_evaluate(getattr(markers.Marker, name)))


def traced_evaluate(evaluate):
    def method(self, *args, **kwargs):
        global environment
        environment = None
        result = None
        try:
            got = evaluate(self, *args, **kwargs)
            result = str(int(got))
            return got
        except (markers.UndefinedComparison, markers.UndefinedEnvironmentName):
            result = "U"
            raise
        finally:
            text = marker_text(self)
            if result and text is not None and expressible(text):
                note("evaluate", text, environment_fields(environment), result)

    return method


def expressible(text):
    """Ours is always told which extras and groups are selected, as sets: what the library says without them cannot be asked."""
    if environment is None or (re.search(r"\bextra\b", text) and not isinstance(environment.get("extra"), (str, set, frozenset))):
        return False
    return all(name not in text or isinstance(environment.get(name), (set, frozenset)) for name in ("extras", "dependency_groups"))


def environment_fields(env):
    """name=value; name*=member for each member of a set."""
    out = []
    for key, value in env.items():
        if isinstance(value, str):
            out.append(f"{key}={value}")
        elif isinstance(value, (set, frozenset)):
            out += sorted(f"{key}*={one}" for one in value)
    return out


def requirement_text(req):
    marker = marker_text(req.marker) if req.marker else ""
    if marker is None:
        return None
    extras = sorted({utils.canonicalize_name(e) for e in req.extras})
    return "\x1f".join([utils.canonicalize_name(req.name), ",".join(extras), str(req.specifier), req.url or "", marker])


def wrap_function(module, name, kind, refusal, describe):
    function = getattr(module, name)

    def wrapper(text, *args, **kwargs):
        plain = isinstance(text, str) and not args and not kwargs
        try:
            got = function(text, *args, **kwargs)
        except refusal:
            if plain:
                note(kind, text, "!")
            raise
        if plain:
            note(kind, text, answer(describe(got)))
        return got

    for m in [m for n, m in sys.modules.items() if n.startswith("packaging.")]:
        if getattr(m, name, None) is function:
            setattr(m, name, wrapper)


def wheel_text(got):
    name, ver, build, wheel_tags = got
    return "\x1f".join([name, str(ver), "-".join(map(str, build)), *sorted(map(str, wheel_tags))])


def raw_metadata(got):
    raw, unparsed = got
    fields = [raw.get("name", ""), raw.get("version", ""), raw.get("requires_python", "")]
    if unparsed or not all(fields[:2]):
        return "?"
    for req in raw.get("requires_dist", []):
        try:
            fields.append(requirement_text(requirements.Requirement(req)).replace("\x1f", "|"))
        except requirements.InvalidRequirement:
            return "?"
    return "\x1f".join(fields)


def wrap_platforms():
    is_compatible = _manylinux._is_compatible
    linux, musl, mac = _manylinux.platform_tags, _musllinux.platform_tags, tags.mac_platforms

    def manylinux(archs):
        got = list(linux(archs))
        if _manylinux._is_compatible is is_compatible and _manylinux._get_manylinux_module() is None and len(archs) == 1 and _manylinux._have_compatible_abi("", archs):
            note("manylinux", archs[0], "%d.%d" % tuple(_manylinux._get_glibc_version()), got)
        return iter(got)

    def musllinux(archs):
        got = list(musl(archs))
        if len(archs) == 1 and got:
            newest = got[0].split("_")
            note("musllinux", archs[0], f"{newest[1]}.{newest[2]}", got)
        return iter(got)

    def mac_platforms(version=None, arch=None):
        got = list(mac(version, arch))
        if version and arch in ("x86_64", "arm64"):
            note("macosx", arch, "%d.%d" % tuple(version[:2]), got)
        return iter(got)

    _manylinux.platform_tags, _musllinux.platform_tags, tags.mac_platforms = manylinux, musllinux, mac_platforms


def wrap_all():
    wrap_init(version.Version, "version", version.InvalidVersion, str)
    for name, op in (("__lt__", "<"), ("__le__", "<="), ("__eq__", "=="), ("__ge__", ">="), ("__gt__", ">"), ("__ne__", "!=")):
        wrap_order(name, op)
    wrap_init(specifiers.Specifier, "specifier", specifiers.InvalidSpecifier, str)
    wrap_init(specifiers.SpecifierSet, "specifiers", specifiers.InvalidSpecifier, str)
    wrap_contains(specifiers.Specifier)
    wrap_contains(specifiers.SpecifierSet)
    wrap_init(markers.Marker, "marker", markers.InvalidMarker, marker_text)
    wrap_markers()
    wrap_init(requirements.Requirement, "requirement", requirements.InvalidRequirement, requirement_text)
    wrap_function(utils, "canonicalize_name", "name", utils.InvalidName, str)
    wrap_function(utils, "is_normalized_name", "normalized", (), lambda got: str(int(got)))
    wrap_function(utils, "parse_wheel_filename", "wheel", utils.InvalidWheelFilename, wheel_text)
    wrap_function(utils, "parse_sdist_filename", "sdist", utils.InvalidSdistFilename, lambda got: f"{got[0]}\x1f{got[1]}")
    wrap_function(metadata, "parse_email", "metadata", (), raw_metadata)
    wrap_platforms()
    wrap_groups()
    wrap_pylock()


def toml(document):
    try:
        return tomli_w.dumps(document)
    except (TypeError, ValueError, AttributeError):
        return None  # a test may hand over what no document can hold


def wrap_groups():
    cls = dependency_groups.DependencyGroupResolver
    init, resolve = cls.__init__, cls.resolve

    def __init__(self, groups):
        self.as_given = groups
        init(self, groups)

    def traced_resolve(self, group):
        text = toml({"dependency-groups": self.as_given})
        try:
            got = resolve(self, group)
        except Exception:
            if text is not None and isinstance(group, str):
                note("group", text, group, "!")
            raise
        if text is not None:
            parts = [requirement_text(r) for r in got]
            note("group", text, group, answer("\x1f".join(dict.fromkeys(p.replace("\x1f", "|") for p in parts))))
        return got

    cls.__init__, cls.resolve = __init__, traced_resolve


def wrap_pylock():
    from_dict = pylock.Pylock.from_dict.__func__

    def traced_from_dict(cls, d):
        text = toml(d)
        try:
            got = from_dict(cls, d)
        except pylock.PylockValidationError:
            if text is not None:
                note("pylock", text, "!")
            raise
        if text is not None:
            note("pylock", text, answer("\x1f".join([str(len(got.packages)), *(p.name for p in got.packages)])))
        return got

    pylock.Pylock.from_dict = classmethod(traced_from_dict)


def target_tags(python, threaded, platforms):
    interpreter = "cp%d%d" % python
    abi = interpreter + ("t" if threaded else "m" if python < (3, 8) else "")
    yield from tags.cpython_tags(python, [abi], platforms)
    yield from tags.compatible_tags(python, interpreter, platforms)


def linux_platforms(arch, glibc, musl):
    _manylinux._get_glibc_version = lambda: _manylinux._GLibCVersion(*glibc)
    _manylinux._get_manylinux_module = lambda: None
    _manylinux._have_compatible_abi = lambda executable, archs: glibc[0] > 0
    _musllinux._get_musl_version = lambda executable: _musllinux._MuslVersion(*musl) if musl else None
    tags.sysconfig.get_platform = lambda: "linux-" + arch
    return list(tags._linux_platforms(False))


def grid():
    """Whole lists of supported tags for targets that no test of theirs describes."""
    none = (0, 0)
    for python, threaded in (((3, 6), False), ((3, 9), False), ((3, 12), False), ((3, 14), False), ((3, 13), True)):
        suffix = "t" if threaded else ""
        text = "%d.%d%s" % (*python, suffix)
        for arch in ("x86_64", "aarch64", "i686", "ppc64le", "armv8l", "riscv64"):
            for glibc in ((2, 5), (2, 17), (2, 28), (2, 41)):
                note("tags", text, "linux", arch, "glibc %d.%d" % glibc, [str(t) for t in target_tags(python, threaded, linux_platforms(arch, glibc, None))])
            note("tags", text, "linux", arch, "musl 1.2", [str(t) for t in target_tags(python, threaded, linux_platforms(arch, none, (1, 2)))])
        for arch, platform in (("AMD64", "win_amd64"), ("ARM64", "win_arm64"), ("x86", "win32")):
            note("tags", text, "windows", arch, "- 0.0", [str(t) for t in target_tags(python, threaded, [platform])])
        for arch, system in (("arm64", (11, 0)), ("arm64", (15, 1)), ("x86_64", (10, 15)), ("x86_64", (13, 2))):
            note("tags", text, "macos", arch, "- %d.%d" % system, [str(t) for t in target_tags(python, threaded, list(tags.mac_platforms(system, arch)))])


wrap_all()
before = 0


def pytest_runtest_setup(item):
    global before, listening
    before = asked
    listening = item.originalname not in POISONED


def pytest_runtest_teardown(item):
    file = os.path.basename(str(item.path))
    collected[file] += 1
    traced[file] += asked > before


def pytest_sessionfinish(session, exitstatus):
    global listening
    listening = True
    grid()
    with open(os.environ["VECTORS"], "w", encoding="utf-8", errors="surrogatepass") as out:
        for file in sorted(collected):
            print("#TEST", file, collected[file], traced[file], file=out)
        for line in lines:
            print(line, file=out)
