# A page of docs/man, as go-md2man wants it: awk -v date=… -v version=… -f manual.awk PAGE.md | go-md2man

# Its head: name, section, date, version.
NR == 1 {
    split(substr($0, 3), title, /[()]/)
    printf "# %s %s \"%s\" \"mamd %s\"\n", title[1], title[2], date, version
    next
}

# A table becomes a list: as one, few would fit a terminal's width. The first row names the columns, the second is a line.
/^\|/ {
    count = split($0, cells, / *\| */)
    if (++row == 1) split($0, heads, / *\| */)
    if (row <= 2) next
    printf "%s\n: ", cells[2]
    for (column = 3; column < count; column++)
        printf "%s%s%s", heads[column] == "" ? "" : heads[column] ": ", cells[column], column < count - 1 ? "; " : "\n\n"
    next
}
{ row = 0 }

# For whatis(1).
/^## NAME/ { named = NR + 2 }
NR == named { sub(/ – /, " - ") }

# Emphasis is not seen before what is not ASCII.
{ gsub(/\*…/, "*..."); print }
