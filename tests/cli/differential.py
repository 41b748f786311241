"""usage: differential.py GPUFERRY UV COUNT SEED FOLDER

COUNT random sets of requirements of real packages, for random targets and days, planned and given to `uv pip compile`: the packages must be the same.
Days are in the past (--exclude-newer), so a set of a seed stays what it is. Wheels only on both sides: uv would run source archives to learn what they need.
Where the two differ, uv is asked whether our versions fit its requirements: they must; which of two right answers comes first is told and counted apart. Known so far: a Python given as 3.9 is 3.9.0 here, and cryptography 45 and newer
is not for 3.9.0; uv leaves out what requires-python says of single patch releases."""
import os
import random
import subprocess
import sys

GPUFERRY, UV, COUNT, SEED, FOLDER = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
rng = random.Random(SEED)
NAMES = """requests flask django fastapi uvicorn[standard] httpx[http2] aiohttp click rich typer pydantic sqlalchemy alembic celery redis jinja2 pyyaml numpy scipy pandas
matplotlib seaborn scikit-learn xgboost lightgbm statsmodels sympy networkx numba pyarrow polars dask[complete] distributed ray joblib tqdm pillow opencv-python-headless imageio
torch torchvision transformers tokenizers datasets accelerate peft safetensors huggingface-hub sentence-transformers timm einops onnx onnxruntime keras tensorboard jax flax optax
pytest pytest-cov hypothesis tox black ruff mypy pylint isort flake8 pre-commit virtualenv poetry build twine setuptools wheel packaging
boto3 botocore s3fs fsspec google-cloud-storage azure-storage-blob paramiko cryptography pyopenssl bcrypt pyjwt oauthlib authlib
jupyterlab notebook ipykernel ipython nbconvert nbformat voila panel bokeh plotly altair streamlit gradio dash
psycopg2-binary psycopg[binary] pymysql pymongo elasticsearch kafka-python pika grpcio protobuf thrift msgpack orjson ujson lxml beautifulsoup4 scrapy selenium playwright
sphinx mkdocs mkdocs-material docutils markdown mistune pygments babel python-dateutil pytz tzdata arrow pendulum attrs cattrs marshmallow dataclasses-json
apache-airflow prefect dagster mlflow wandb optuna hydra-core omegaconf langchain openai anthropic tiktoken spacy nltk gensim faiss-cpu chromadb
geopandas shapely fiona rasterio pyproj netcdf4 xarray[io] zarr h5py tables biopython rdkit pyscf ase
black[jupyter] coverage[toml] pyjwt[crypto] requests[socks] celery[redis] sqlalchemy[asyncio] fastapi[all] pandas[excel] httpx[socks] pydantic[email]
colorama pywin32 psutil watchdog filelock platformdirs importlib-metadata zipp typing-extensions exceptiongroup tomli tomlkit cffi greenlet gevent eventlet""".split()
PLATFORMS = (("x86_64-manylinux_2_28", ["--arch", "x86_64", "--glibc", "2.28"]), ("x86_64-manylinux_2_17", ["--arch", "x86_64", "--glibc", "2.17"]),
             ("aarch64-manylinux_2_28", ["--arch", "aarch64", "--glibc", "2.28"]), ("windows", ["--arch", "x86_64", "--os", "windows-11"]))
PYTHONS = "3.9 3.10 3.11 3.12 3.13 3.14".split()
DAYS = "2023-06-01 2024-02-15 2024-10-01 2025-05-20 2025-12-01 2026-06-01 2026-11-20".split()


def uv(requirements, platform, python, day, constraints=()):
    path = os.path.join(FOLDER, "constraints.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(c + "\n" for c in constraints))
    done = subprocess.run([UV, "pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", "--no-python-downloads", "--python", sys.executable, "--only-binary", ":all:",
                           "--python-platform", platform, "--python-version", python, "--exclude-newer", day, "--cache-dir", os.path.join(FOLDER, "uv"), "-c", path],
                          input="\n".join(requirements), capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    return sorted(line.split(";")[0].strip() for line in done.stdout.splitlines() if "==" in line), ""


def ours(requirements, options, python, day):
    lock = os.path.join(FOLDER, "lock")
    done = subprocess.run([GPUFERRY, "plan", *requirements, "--accelerator", "any", *options, "--python", python, "--sources", "default", "--no-installer", "--sdist", "refuse",
                           "--exclude-newer", day, "--quiet", "-o", lock], capture_output=True, text=True)
    if done.returncode == 1:
        return None, done.stdout
    if done.returncode:
        return None, "ERROR " + done.stderr
    listed = subprocess.run([sys.executable, "tests/lib/lock.py", lock], capture_output=True, text=True, check=True).stdout
    return sorted(listed.split()), ""


def drops_extra(requirements, platform, python, day):
    """uv goes on without an extra that the version it comes to has not, with a warning that --quiet hides; gpuferry refuses that."""
    done = subprocess.run([UV, "pip", "compile", "-", "--no-python-downloads", "--python", sys.executable, "--only-binary", ":all:", "--python-platform", platform,
                           "--python-version", python, "--exclude-newer", day, "--cache-dir", os.path.join(FOLDER, "uv")], input="\n".join(requirements), capture_output=True, text=True)
    return "does not have an extra named" in done.stderr


def version_of(name, platform, python, day):
    found, _ = uv([name], platform, python, day)
    base = name.split("[")[0]
    return next((line.split("==")[1] for line in found or [] if line.split("==")[0] == base), None)


def requirement(name, platform, python, day):
    kind = rng.random()
    if kind < 0.55:
        return name
    version = version_of(name, platform, python, rng.choice([d for d in DAYS if d <= day]))
    if not version or "+" in version:
        return name
    if kind < 0.95:
        op = rng.choice([">=", "<=", "<", "!=", "==", ">"])
        return name + op + version
    return name + "~=" + version if "." in version else name


counts = {"the same": 0, "both refuse": 0, "another right answer": 0, "uv drops an extra": 0, "different": 0}
bad = []
for number in range(COUNT):
    platform, options = rng.choice(PLATFORMS)
    python, day = rng.choice(PYTHONS), rng.choice(DAYS)
    names = rng.sample(NAMES, rng.randint(1, 6))
    wanted = [requirement(n, platform, python, day) for n in names]
    told = "%s, %s, Python %s, %s" % (" ".join(wanted), platform, python, day)
    theirs, their_word = uv(wanted, platform, python, day)
    mine, my_word = ours(wanted, options, python, day)
    if mine == theirs:
        counts["both refuse" if mine is None else "the same"] += 1
        continue
    if mine and theirs:
        agreed, word = uv(wanted, platform, python, day, constraints=mine)
        if agreed == mine:
            counts["another right answer"] += 1
            print("another right answer: %s: %s" % (told, " ".join(sorted(set(mine) ^ set(theirs)))))
            continue
        their_word = word or "uv, held to our versions, takes " + " ".join(sorted(set(agreed or []) ^ set(mine)))
    if theirs and mine is None and "has no extra" in my_word and drops_extra(wanted, platform, python, day):
        counts["uv drops an extra"] += 1
        continue
    counts["different"] += 1
    bad.append("%s\n  uv: %s\n  ours: %s" % (told, " ".join(theirs) if theirs and not mine else their_word[-600:] if theirs is None else their_word, my_word[-600:] if mine is None else " ".join(sorted(set(mine) - set(theirs or [])))))
print("\n".join(bad))
print(", ".join("%s: %d" % c for c in counts.items()))
sys.exit(bool(bad) or counts["another right answer"] > max(1, COUNT // 10))
