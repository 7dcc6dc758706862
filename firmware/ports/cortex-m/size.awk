# SPDX-License-Identifier: MIT OR Apache-2.0
# Bytes of text that the linker kept of the library, from its map file.
/^Linker script and memory map/ { listing = 1 }
listing && /^ \.(text|rodata)/ {
    if (NF == 1) { getline; size = $2 } else { size = $3 }
    if ($0 ~ /libspytui_target/) { sum += hex(size) }
}
END { print sum }

function hex(text,    value, i) {
    for (i = 3; i <= length(text); i++) { value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1 }
    return value
}
