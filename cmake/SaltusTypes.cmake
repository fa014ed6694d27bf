# Code for types, made while a project is built:
#
#   list(APPEND CMAKE_MODULE_PATH <Saltus>/cmake)     # where this file is
#   include(SaltusTypes)                              # or, with what bindings/c/install.sh installs:
#                                                     # find_package(SaltusTypes REQUIRED)
#   saltus_generate_types(my_types LANG cpp FILES types/pose_t.lcm types/scan_t.lcm)
#   target_link_libraries(my_program PRIVATE my_types)
#
#   saltus_generate_types(<target> LANG c|cpp FILES <file>...
#                         [INCLUDE <dir>...]          where types are looked for that the files refer to
#                         [STYLE modern|lcm]          lcm: with publish and subscribe functions, for LCM's library
#                         [PACKAGE_PREFIX <package>]  put before the package of every type
#                         [OUT <dir>]                 where the code goes; default ${CMAKE_CURRENT_BINARY_DIR}/<target>
#                         [PLAIN])                    also the plain layout
#
# <target> is a static library for C, an interface library (headers only) for C++. Files that change are generated again
# by the next build. Code is made for the types that FILES declare; name the files of the types that they contain too.
#
# The program `saltus` is looked for in the path; set SALTUS_EXECUTABLE to use another one. Needs CMake 3.20.

include_guard(GLOBAL)

function(saltus_generate_types target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN" "LANG;STYLE;OUT;PACKAGE_PREFIX" "FILES;INCLUDE")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "saltus_generate_types(${target}): what is ${arg_UNPARSED_ARGUMENTS}?")
    endif()
    if(NOT arg_LANG MATCHES "^(c|cpp)$")
        message(FATAL_ERROR "saltus_generate_types(${target}): LANG is \"${arg_LANG}\"; it must be c or cpp")
    endif()
    if(NOT arg_FILES)
        message(FATAL_ERROR "saltus_generate_types(${target}): no FILES")
    endif()
    find_program(SALTUS_EXECUTABLE saltus DOC "The program saltus, which generates code for types")
    if(NOT SALTUS_EXECUTABLE)
        message(FATAL_ERROR "saltus_generate_types(${target}): the program saltus is not in the path; "
                            "set SALTUS_EXECUTABLE to its file, or install it from a clone of Saltus: "
                            "cargo install --locked --path crates/cli")
    endif()
    if(NOT arg_OUT)
        set(arg_OUT "${target}")
    endif()
    get_filename_component(out "${arg_OUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")

    set(files "")
    set(read "") # all type files that may be read
    foreach(file IN LISTS arg_FILES)
        get_filename_component(file "${file}" ABSOLUTE)
        list(APPEND files "${file}")
        get_filename_component(dir "${file}" DIRECTORY)
        file(GLOB beside CONFIGURE_DEPENDS "${dir}/*.lcm")
        list(APPEND read "${file}" ${beside})
    endforeach()
    set(call "${SALTUS_EXECUTABLE}" gen --lang ${arg_LANG} --out "${out}")
    foreach(dir IN LISTS arg_INCLUDE)
        get_filename_component(dir "${dir}" ABSOLUTE)
        list(APPEND call -I "${dir}")
        file(GLOB_RECURSE below CONFIGURE_DEPENDS "${dir}/*.lcm")
        list(APPEND read ${below})
    endforeach()
    list(REMOVE_DUPLICATES read)
    if(arg_STYLE)
        list(APPEND call --style ${arg_STYLE})
    endif()
    if(arg_PACKAGE_PREFIX)
        list(APPEND call --package-prefix ${arg_PACKAGE_PREFIX})
    endif()
    if(arg_PLAIN)
        list(APPEND call --plain)
    endif()

    # Which files it will be depends on what the type files declare, so a change of theirs runs CMake again.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${read})
    execute_process(COMMAND ${call} --list ${files} OUTPUT_VARIABLE listed ERROR_VARIABLE why RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "saltus_generate_types(${target}):\n${why}")
    endif()
    string(REGEX REPLACE "\n$" "" listed "${listed}")
    string(REPLACE "\n" ";" listed "${listed}")

    # Files that stay the same are not touched, so a timestamp says when they were last looked at.
    set(timestamp "${CMAKE_CURRENT_BINARY_DIR}/${target}.timestamp")
    add_custom_command(
        OUTPUT "${timestamp}"
        BYPRODUCTS ${listed}
        COMMAND ${call} --quiet ${files}
        COMMAND ${CMAKE_COMMAND} -E touch "${timestamp}"
        DEPENDS ${read} "${SALTUS_EXECUTABLE}"
        COMMENT "Generating ${target}"
        VERBATIM)
    add_custom_target(${target}_code DEPENDS "${timestamp}")

    if(arg_LANG STREQUAL "c")
        set(sources ${listed})
        list(FILTER sources INCLUDE REGEX "\\.c$")
        add_library(${target} STATIC ${sources})
        target_compile_features(${target} PUBLIC c_std_99)
        target_include_directories(${target} PUBLIC "${out}")
    else()
        add_library(${target} INTERFACE)
        target_compile_features(${target} INTERFACE cxx_std_17)
        target_include_directories(${target} INTERFACE "${out}")
    endif()
    add_dependencies(${target} ${target}_code)
endfunction()
