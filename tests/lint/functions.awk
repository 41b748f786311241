# usage: awk -v max=N -f functions.awk FILES…: names each function whose body, braces included, has more lines than max
FNR == 1 { head = ""; start = 0 }
/^[A-Za-z_]/ && /\(/ { head = $0 }
/^\{/ { start = FNR }
/^\}/ && start { if (FNR - start + 1 > max) { sub(/ *\{?$/, "", head); printf "%s:%d: %d lines: %s\n", FILENAME, start, FNR - start + 1, head; bad++ } start = 0 }
END { exit bad > 0 }
