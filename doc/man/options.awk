# usage: gpuferry COMMAND -h | awk -f options.awk - PAGE.scd: the page with its line "@options@" replaced by the option table, as scdoc
function row(text,   at, names, help) {
	sub(/^ +/, "", text)
	at = match(text, /  +/)
	names = at ? substr(text, 1, at - 1) : text
	help = at ? substr(text, RSTART + RLENGTH) : ""
	gsub(/_/, "\\_", help); gsub(/\*/, "\\*", help)
	arg = names
	if (match(arg, /--[a-z0-9-]+ /)) { arg = substr(arg, RSTART + RLENGTH); names = substr(names, 1, length(names) - length(arg) - 1) } else arg = ""
	gsub(/_/, "\\_", arg); gsub(/, /, "*, *", names)
	return "*" names "*" (arg == "" ? "" : " _" arg "_") "\n\t" help
}
FNR == NR {
	if (/^[A-Z].*:$/) { sub(/:$/, ""); table = table "\n## " toupper($0) "\n"; open = 1 }
	else if (open && /^ +-/) { table = table "\n" row($0) "\n" }
	else if (open && /^ /) { sub(/^ +/, ""); sub(/\n$/, "", table); table = table $0 "\n" }
	next
}
$0 == "@options@" { print substr(table, 2); next }
{ print }
