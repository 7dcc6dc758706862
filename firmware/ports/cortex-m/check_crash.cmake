# SPDX-License-Identifier: MIT OR Apache-2.0
# cmake -DQEMU=… -DPROGRAM=… -P: runs the program that crashes, and looks for the assertions, names and causes of each reset.
set(sent ${PROGRAM}.qs)
execute_process(
    COMMAND ${QEMU} -M lm3s6965evb -display none -monitor none -serial file:${sent} -semihosting-config enable=on,target=native
        -kernel ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${sent} text)
foreach(pattern "argument.*STY_RESET.*assertion.*lamp_0.*lamp_7.*memory" "memory.*STY_RESET.*fault.*lamp_0.*lamp_7.*STY_RESET"
    "STY_RESET.*watchdog.*lamp_0.*lamp_7")
    if(NOT text MATCHES "${pattern}")
        message(FATAL_ERROR "${pattern} is not in ${text}")
    endif()
endforeach()
