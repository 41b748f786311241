"""Times programs beside each other: the rounds are interleaved, so that all of them meet the same machine, and medians are compared.

A program's run is one `Run`: an argument list, an environment, input, and a function called before each round (to empty a cache).
"""
import os
import statistics
import subprocess
import time


class Run:
    def __init__(self, name, argv, env=None, before=None, stdin=b"", cwd=None, ok=(0,)):
        self.name, self.argv, self.before, self.stdin, self.cwd, self.ok = name, argv, before, stdin, cwd, ok
        self.env = dict(os.environ, **(env or {}))
        self.seconds, self.rss_kib, self.failed = [], [], None

    def once(self):
        if self.before:
            self.before()
        read, write = os.pipe()
        os.write(write, self.stdin)
        os.close(write)
        with open(os.devnull, "wb") as sink, open("/tmp/bench-%d.err" % os.getpid(), "w+b") as err:
            start = time.perf_counter()
            child = subprocess.Popen(self.argv, env=self.env, stdin=read, stdout=sink, stderr=err, cwd=self.cwd)
            _, status, usage = os.wait4(child.pid, 0)
            took = time.perf_counter() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            said = err.read().decode(errors="replace").strip().splitlines()
        os.unlink(err.name)
        os.close(read)
        if child.returncode not in self.ok:
            self.failed = "exit %d: %s" % (child.returncode, said[-1] if said else "")
            return
        self.seconds.append(took)
        self.rss_kib.append(usage.ru_maxrss)

    def median(self):
        return statistics.median(self.seconds) if self.seconds and not self.failed else None

    def rss(self):
        return max(self.rss_kib) / 1024 if self.rss_kib and not self.failed else None


def interleave(runs, rounds):
    for _ in range(rounds):
        for run in runs:
            if not run.failed:
                run.once()
    return runs


def seconds(run):
    m = run.median() if run else None
    if m is None:
        return "–"
    return "%.0f ms" % (m * 1000) if m < 1 else "%.2f s" % m


def ratio(ours, theirs):
    a, b = ours and ours.median(), theirs and theirs.median()
    return "–" if not a or not b else "%.2f" % (a / b)


def mib(run):
    m = run.rss() if run else None
    return "–" if m is None else "%.0f MiB" % m


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    out += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(out)
