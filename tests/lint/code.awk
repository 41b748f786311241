# usage: awk -f code.awk tests/lint/words FILES…: words that may stand in code (not in comments or strings) only where the table allows it
FNR == NR {
	if ($0 ~ /^#/ || !NF) next
	split($0, f, ":")
	nrule++
	gsub(/^ +| +$/, "", f[1]); pattern[nrule] = f[1]
	gsub(/ +/, " ", f[2]); places[nrule] = f[2]; why[nrule] = f[3]
	next
}
function allowed(r,   n, p, i) {
	n = split(places[r], p, " ")
	for (i = 1; i <= n; i++) if (index(FILENAME, p[i]) == 1) return 1
	return 0
}
FNR == 1 { comment = 0 }
{
	line = $0
	if (line !~ /^[ \t]*#[ \t]*include/) gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	while (1) {
		if (comment) { if (!(at = index(line, "*/"))) { line = ""; break } line = substr(line, at + 2); comment = 0 }
		if (!(at = index(line, "/*"))) break
		rest = substr(line, at + 2)
		if ((end = index(rest, "*/"))) line = substr(line, 1, at - 1) " " substr(rest, end + 2)
		else { kept = substr(line, 1, at - 1); comment = 1; line = kept; break }
	}
	sub(/\/\/.*/, "", line)
	for (r = 1; r <= nrule; r++)
		if ((" " line) ~ ("[^A-Za-z0-9_]" pattern[r]) && !allowed(r)) { printf "%s:%d: %s: %s\n", FILENAME, FNR, why[r], $0; bad++ }
}
END { exit bad > 0 }
