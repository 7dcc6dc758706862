# cmake -DWHAT=… -DMAP=… -DAWK=… -DLIMIT=… -P: what the linker kept of the library may not be larger than the limit.
execute_process(COMMAND awk -f ${AWK} ${MAP} OUTPUT_VARIABLE size OUTPUT_STRIP_TRAILING_WHITESPACE)
message("${WHAT}: ${size} bytes of text, limit ${LIMIT}")
if(NOT size MATCHES "^[1-9][0-9]*$" OR size GREATER LIMIT)
    message(FATAL_ERROR "too large")
endif()
