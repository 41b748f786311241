"""usage: check_schema.py DATA [GPUFERRY]: every data file against its schema in DATA/schema by the jsonschema package; with GPUFERRY, damaged rows are
refused by both. Prints what is wrong; a last line "N passed, N failed"."""
import copy, fnmatch, json, os, shutil, subprocess, sys, tempfile
import jsonschema

data = sys.argv[1]
gpuferry = sys.argv[2] if len(sys.argv) > 2 else None
passed = failed = 0


def result(good, text):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    if not good:
        print("FAILED", text)


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


schemas = {}
for name in sorted(os.listdir(data + "/schema")):
    schema = load(f"{data}/schema/{name}")
    jsonschema.Draft202012Validator.check_schema(schema)
    for pattern in schema["x-files"]:
        schemas[pattern] = jsonschema.Draft202012Validator(schema)


def schema_of(path):
    return next((v for p, v in schemas.items() if fnmatch.fnmatch(path, p)), None)


def refused_by_program(path, doc):
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(data, tmp + "/data")
        with open(f"{tmp}/data/{path}", "w", encoding="utf-8") as f:
            json.dump(doc, f)
        run = subprocess.run([gpuferry, "matrix", "--matrix", tmp + "/data", "lint"], capture_output=True, text=True)
        return run.returncode == 2 and path in run.stderr


def damaged(doc, table):
    """Copies of a document with one thing wrong in the table's first row."""
    row = doc[table][0]
    first = next(iter(row))
    for what, change in (
        ("an unknown key", lambda r: r.update(surprise=1)),
        ("a wrong type", lambda r: r.__setitem__(first, 17)),
        ("a missing key", lambda r: r.pop("source" if "source" in r else "title")),
    ):
        bad = copy.deepcopy(doc)
        change(bad[table][0])
        yield what, bad


for folder, dirs, names in os.walk(data):
    dirs[:] = sorted(d for d in dirs if os.path.join(folder, d) != data + "/schema")
    for name in sorted(n for n in names if n.endswith(".json")):
        path = os.path.relpath(os.path.join(folder, name), data)
        validator = schema_of(path)
        result(validator is not None, f"{path} has no schema")
        if not validator:
            continue
        doc = load(os.path.join(folder, name))
        wrong = sorted(validator.iter_errors(doc), key=lambda e: list(map(str, e.absolute_path)))
        for e in wrong[:5]:
            print(f"{path}: /{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}")
        result(not wrong, f"{path} does not fit its schema")
        for table in doc if gpuferry and not path.startswith(("doctor/", "fit/")) else ():
            for what, bad in damaged(doc, table) if doc[table] else ():
                result(not validator.is_valid(bad), f"the schema of {path} lets {what} in {table} pass")
                result(refused_by_program(path, bad), f"the program lets {what} in {path}, {table} pass")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
