#!/bin/sh
# The lock of an installation belongs to a process that is at work: not to a dead one that nobody waited for, not to another one that has its number now.
set -u
bad=0
cat >"$TMPDIR/asks.sh" <<'EOF'
. scripts/lib/common.sh
STATE=$TMPDIR/state PREFIX=$TMPDIR
trap - EXIT
answer() { if at_work "$@"; then echo yes; else echo no; fi; }
sleep 600 &
live=$!
mkdir -p "$STATE/lock"
echo "this: $(answer $$) $(answer $$ "$(began $$)") other: $(answer "$live" "$(began 1)")"
echo "live: $(answer "$live" "$(began "$live")") dead: $(answer "$DEAD" "$BEGAN") $(answer "$DEAD")"
kill "$live"
wait "$live" 2>/dev/null
echo "gone: $(answer "$live") none: $(answer 999999999)"
echo "$DEAD $BEGAN" >"$STATE/lock/pid"
lock && echo "taken over: $(grep -c "^$$ $(began $$)\$" "$STATE/lock/pid")"
(HAVE_LOCK='' && lock) 2>&1 | grep -c "process $$ is installing"
rm -rf "$STATE"
EOF
cat >"$TMPDIR/wanted" <<'EOF'
this: yes yes other: no
live: yes dead: no no
gone: no none: no
taken over: 1
1
EOF
for shell in sh dash "busybox sh" mksh; do
	command -v "${shell%% *}" >/dev/null || continue
	python3 - "$shell" >"$TMPDIR/got" 2>&1 <<'EOF'
import os, subprocess, sys
child = subprocess.Popen(["sleep", "600"])
began = open(f"/proc/{child.pid}/stat").read().rpartition(") ")[2].split()[19]
child.kill()
os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and not waited for
subprocess.run(sys.argv[1].split() + [os.environ["TMPDIR"] + "/asks.sh"], env=dict(os.environ, DEAD=str(child.pid), BEGAN=began))
EOF
	if ! cmp -s "$TMPDIR/wanted" "$TMPDIR/got"; then
		echo "$shell:" && diff "$TMPDIR/wanted" "$TMPDIR/got"
		bad=1
	fi
done
exit $bad
