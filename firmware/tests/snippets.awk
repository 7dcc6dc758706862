# SPDX-License-Identifier: MIT OR Apache-2.0
# awk -v section=PATTERN -v stem=PATH -f snippets.awk PAGE: the pieces of C in sections whose heading matches, to PATH_1.inc and
# so on.
/^## / { inside = $0 ~ section }
/^ *```/ { file = "" }
file { print > file }
inside && /^ *```c$/ { file = stem "_" ++count ".inc" }
