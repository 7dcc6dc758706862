# SPDX-License-Identifier: MIT OR Apache-2.0
# cmake -DPROGRAM=FILE -DSENT=FILE -DNAMES=NAME,NAME… -P: runs a program of docs/qp8.md, whose trace goes to a file, and looks for
# names in it.
execute_process(COMMAND ${PROGRAM} file:${SENT} COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${SENT} sent)
string(REPLACE "," ";" names ${NAMES})
foreach(name IN LISTS names)
    if(NOT sent MATCHES "${name}")
        message(FATAL_ERROR "${name} was not sent")
    endif()
endforeach()
