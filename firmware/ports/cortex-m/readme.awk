# SPDX-License-Identifier: MIT OR Apache-2.0
# awk -v folder=FOLDER -f readme.awk README.md: the pieces of C in its ten minutes, a file each.
/^## / { inside = /ten minutes/ }
/^```/ { file = "" }
file { print > file }
inside && /^```c$/ { file = folder "/readme_" ++count ".inc" }
