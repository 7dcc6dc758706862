# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the program in consumer/ with the library from HOW (fetch, find, zephyr, idf), and runs it.
file(REMOVE_RECURSE ${SCRATCH})
if(HOW STREQUAL find)
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILT} --prefix ${SCRATCH}/prefix OUTPUT_QUIET
        COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${SCRATCH}/build -G ${GENERATOR}
    -DCMAKE_C_COMPILER=${COMPILER} -DHOW=${HOW} -DLIBRARY=${LIBRARY} -DVERSION=${VERSION}
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
if(HOW MATCHES "zephyr|idf")
    return()
endif()
execute_process(COMMAND ${SCRATCH}/build/glue OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(program dropin qp8)
    execute_process(COMMAND ${SCRATCH}/build/${program} file:${SCRATCH}/${program}.qs COMMAND_ERROR_IS_FATAL ANY)
endforeach()
