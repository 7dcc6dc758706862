# SPDX-License-Identifier: MIT OR Apache-2.0
# cmake -DWHAT=… -DMAP=… -DAWK=… -DLIMIT=… -P: fails if the linker kept more of the library than the limit; 0: no limit.
execute_process(COMMAND awk -f ${AWK} ${MAP} OUTPUT_VARIABLE size OUTPUT_STRIP_TRAILING_WHITESPACE)
message("${WHAT}: ${size} bytes of text")
if(NOT size MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "no size in ${MAP}")
endif()
if(LIMIT AND size GREATER LIMIT)
    message(FATAL_ERROR "more than ${LIMIT} bytes")
endif()
