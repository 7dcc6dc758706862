# SPDX-License-Identifier: MIT OR Apache-2.0
# cmake -DQEMU=… -DMACHINE=… -DPROGRAM=… -DCAPTURE=… -P: the demo on a board sends the bytes of the capture.
set(sent ${PROGRAM}.sent)
execute_process(
    COMMAND ${QEMU} -M ${MACHINE} -display none -monitor none -serial file:${sent} -icount shift=5,sleep=off
        -semihosting-config enable=on,target=native -kernel ${PROGRAM}
    RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}: records were dropped, or it failed")
endif()
file(SHA256 ${sent} sum)
file(SHA256 ${CAPTURE} wanted)
if(NOT sum STREQUAL wanted)
    message(FATAL_ERROR "${sent} differs from ${CAPTURE}")
endif()
