# SPDX-License-Identifier: MIT OR Apache-2.0
# cmake -DQEMU=… -DPROGRAM=… -P: runs hello_qs for a second of its time and checks what it sent.
set(sent ${PROGRAM}.qs)
execute_process(
    COMMAND ${QEMU} -M lm3s6965evb -display none -monitor none -serial file:${sent} -icount shift=5,sleep=off
        -semihosting-config enable=on,target=native -kernel ${PROGRAM}
    RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit status ${status}: records were dropped, or it failed")
endif()
file(READ ${sent} bytes HEX)
# Start, target info and names; then a state entry, a transition and a user record.
foreach(wanted "^0100fe7e0240ffde02" 53 "3f7b5354595f44524f5053" "6c616d705f6f6e00" "7e..01" "7e..06" "7e..64")
    if(NOT bytes MATCHES "${wanted}")
        message(FATAL_ERROR "${wanted} is not in ${bytes}")
    endif()
endforeach()
string(REGEX MATCHALL "302e31204300" records "${bytes}")
list(LENGTH records count)
if(NOT count EQUAL 9 AND NOT count EQUAL 10)
    message(FATAL_ERROR "${count} user records, not one each 100 ms")
endif()
message("hello_qs: ${count} user records in a second")
