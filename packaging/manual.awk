# A page of docs/man, as go-md2man wants it:
#     awk -v date=… -v version=… -f manual.awk PAGE.md | go-md2man

# Its head: name, section, date, version.
NR == 1 {
    split(substr($0, 3), title, /[()]/)
    printf "# %s %s \"%s\" \"mamd %s\"\n", title[1], title[2], date, version
    next
}

# A table becomes a list, since few tables would fit a terminal's width. The first row names the
# columns, the second is a line. Empty cells are left out.
/^\|/ {
    count = split($0, cells, / *\| */)
    if (++row == 1) split($0, heads, / *\| */)
    if (row <= 2) next
    text = ""
    for (column = 3; column < count; column++) {
        if (cells[column] == "") continue
        head = heads[column] == "" ? "" : heads[column] ": "
        text = text (text == "" ? "" : "; ") head cells[column]
    }
    printf "%s\n: %s\n\n", cells[2], text
    next
}
{ row = 0 }

# For whatis(1).
/^## NAME/ { named = NR + 2 }
NR == named { sub(/ – /, " - ") }

# Emphasis is not seen before what is not ASCII.
{ gsub(/\*…/, "*..."); print }
