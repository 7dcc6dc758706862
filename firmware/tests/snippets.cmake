# SPDX-License-Identifier: MIT OR Apache-2.0
# The first COUNT pieces of C in sections of PAGE whose heading matches, as NAME_1.inc and so on, for programs that link NAME.
function(sty_snippets name page section count)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
    file(MAKE_DIRECTORY ${folder})
    set(pieces)
    foreach(piece RANGE 1 ${count})
        list(APPEND pieces ${folder}/${name}_${piece}.inc)
    endforeach()
    set(script ${PROJECT_SOURCE_DIR}/tests/snippets.awk)
    add_custom_command(OUTPUT ${pieces}
        COMMAND awk -v "section=${section}" -v stem=${folder}/${name} -f ${script} ${page} DEPENDS ${page} ${script})
    add_custom_target(${name}_pieces DEPENDS ${pieces})
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${folder})
    add_dependencies(${name} ${name}_pieces)
endfunction()
