"""usage: elf_wheels.py FOLDER      wheels with real shared libraries, compiled here

  nvidia-foo-cu12   nvidia/foo/lib/libfoo.so.12, and libfoo_part.so.12 which it opens by itself from its own folder
  links             links/liblinks.so links libfoo.so.12 and has no RUNPATH, as onnxruntime-gpu
  opens             opens/libs/libopens.so opens "libfoo.so" by name and has RUNPATH $ORIGIN, as paddlepaddle-gpu 2.6
  knows             as links, but names nvidia-foo-cu12 as its requirement and loads it itself, as torch"""
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

OUT = sys.argv[1]
work = tempfile.mkdtemp()


def compiled(name, code, *options):
    source, library = os.path.join(work, name + ".c"), os.path.join(work, name)
    with open(source, "w") as f:
        f.write(code)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, *options], check=True)
    with open(library, "rb") as f:
        return f.read()


def wheel(name, version, tag, files, requires=()):
    stem = "%s-%s" % (name.replace("-", "_"), version)
    info = stem + ".dist-info/"
    files = dict(files)
    files[info + "METADATA"] = "".join(["Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)] + ["Requires-Dist: %s\n" % r for r in requires]).encode()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode()
    digest = {f: base64.urlsafe_b64encode(hashlib.sha256(d).digest()).rstrip(b"=").decode() for f, d in files.items()}
    record = "".join("%s,sha256=%s,%d\n" % (f, digest[f], len(d)) for f, d in files.items()) + info + "RECORD,,\n"
    with zipfile.ZipFile(os.path.join(OUT, "%s-%s.whl" % (stem, tag)), "w") as z:
        for f, d in files.items():
            z.writestr(f, d)
        z.writestr(info + "RECORD", record)


TAG = "py3-none-manylinux_2_17_x86_64"
foo = compiled("libfoo.so.12", "#include <dlfcn.h>\nint foo(void) { void *part = dlopen(\"libfoo_part.so.12\", RTLD_NOW); return part ? ((int (*)(void))dlsym(part, \"part\"))() : -1; }",
               "-Wl,-soname,libfoo.so.12", "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags")
part = compiled("libfoo_part.so.12", "int part(void) { return 42; }", "-Wl,-soname,libfoo_part.so.12")
links = compiled("liblinks.so", "int foo(void); int answer(void) { return foo(); }", "-L" + work, "-l:libfoo.so.12")
opens = compiled("libopens.so", "#include <dlfcn.h>\nint answer(void) { void *foo = dlopen(\"libfoo.so\", RTLD_NOW); return foo ? ((int (*)(void))dlsym(foo, \"foo\"))() : -1; }",
                 "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags")
CALL = b"import ctypes, os\nanswer = ctypes.CDLL(os.path.join(os.path.dirname(__file__), %r)).answer()\n"
wheel("nvidia-foo-cu12", "12.5", TAG, {"nvidia/foo/lib/libfoo.so.12": foo, "nvidia/foo/lib/libfoo_part.so.12": part})
wheel("links", "1.0", TAG, {"links/__init__.py": CALL % "liblinks.so", "links/liblinks.so": links})
wheel("opens", "1.0", TAG, {"opens/__init__.py": CALL % "libs/libopens.so", "opens/libs/libopens.so": opens})
wheel("knows", "1.0", TAG, {"knows/__init__.py": b"import ctypes, nvidia.foo\nctypes.CDLL(nvidia.foo.__path__[0] + '/lib/libfoo.so.12')\n" + CALL % "liblinks.so", "knows/liblinks.so": links},
      ["nvidia-foo-cu12"])
