# SPDX-License-Identifier: MIT OR Apache-2.0
# cmake -DTARGET=… -DPROTO=… -DSENT=… -DCAPTURE=… -P: the program sends the bytes of the capture, like boards do.
execute_process(COMMAND ${TARGET} --proto ${PROTO} --link file:${SENT} --virtual-clock --seconds 70 RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}")
endif()
file(SHA256 ${SENT} sum)
file(SHA256 ${CAPTURE} wanted)
if(NOT sum STREQUAL wanted)
    message(FATAL_ERROR "${SENT} differs from ${CAPTURE}")
endif()
