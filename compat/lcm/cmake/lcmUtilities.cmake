# LCM's functions for CMake, with the command `saltus` as the generator: `saltus gen --style lcm`.
#
#   lcm_wrap_types([C_HEADERS <variable> C_SOURCES <variable> [C_INCLUDE <path>]]
#                  [CPP_HEADERS <variable> [CPP_INCLUDE <path>]]
#                  [JAVA_SOURCES <variable>] [PYTHON_SOURCES <variable>]
#                  [PACKAGE_PREFIX <package>] [DESTINATION <path>] <file>...)
#       sets each variable to the files that the build generates. C_NOPUBSUB, C_TYPEINFO, C_EXPORT, CPP11 and CREATE_..._AGGREGATE_HEADER
#       are accepted: functions and type information are always there, and no header of all types is made. Other languages are refused.
#   lcm_add_library(<name> C [STATIC|SHARED|MODULE] <file>...), lcm_add_library(<name> CPP <file>...)
#   lcm_target_link_libraries(<target> <library>...)
#   lcm_install_headers([DESTINATION <path>] [RELATIVE_PATH <path>] <file>...)
#   lcm_install_python([DESTINATION <path>] [RELATIVE_PATH <path>] <file>...)
#
# The program `saltus` is looked for in the path; set SALTUS_EXECUTABLE to use another one. Needs CMake 3.12.

include_guard(GLOBAL)

function(lcm_wrap_types)
    set(others C_EXPORT CSHARP_SOURCES LUA_SOURCES GO_SOURCES GO_DESTINATION)
    cmake_parse_arguments(arg
        "C_NOPUBSUB;C_TYPEINFO;CPP11;CREATE_C_AGGREGATE_HEADER;CREATE_CPP_AGGREGATE_HEADER"
        "C_HEADERS;C_SOURCES;C_INCLUDE;CPP_HEADERS;CPP_INCLUDE;JAVA_SOURCES;PYTHON_SOURCES;PACKAGE_PREFIX;DESTINATION;${others}"
        "" ${ARGN})
    foreach(language CSHARP LUA GO)
        if(arg_${language}_SOURCES)
            message(FATAL_ERROR "lcm_wrap_types: Saltus has no generator for ${language}_SOURCES; use lcm-gen for it")
        endif()
    endforeach()
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "lcm_wrap_types: no type files")
    endif()
    if(arg_C_HEADERS AND NOT arg_C_SOURCES OR arg_C_SOURCES AND NOT arg_C_HEADERS)
        message(FATAL_ERROR "lcm_wrap_types: C_HEADERS and C_SOURCES belong together")
    endif()
    if(NOT (arg_C_HEADERS OR arg_CPP_HEADERS OR arg_JAVA_SOURCES OR arg_PYTHON_SOURCES))
        message(FATAL_ERROR "lcm_wrap_types: none of C_HEADERS, CPP_HEADERS, JAVA_SOURCES and PYTHON_SOURCES is given")
    endif()
    find_program(SALTUS_EXECUTABLE saltus DOC "The program saltus, which generates code for types")
    if(NOT SALTUS_EXECUTABLE)
        message(FATAL_ERROR "lcm_wrap_types: the program saltus is not in the path; set SALTUS_EXECUTABLE to where it is")
    endif()
    if(NOT arg_DESTINATION)
        set(arg_DESTINATION "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    get_filename_component(out "${arg_DESTINATION}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")

    set(files "")
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(file "${file}" ABSOLUTE)
        list(APPEND files "${file}")
    endforeach()

    if(arg_C_HEADERS)
        _lcm_generate(c "${out}" "${arg_PACKAGE_PREFIX}" "${arg_C_INCLUDE}" "${files}")
        set(headers ${listed})
        list(FILTER headers INCLUDE REGEX "\\.h$")
        list(FILTER listed INCLUDE REGEX "\\.c$")
        set(${arg_C_HEADERS} ${headers} PARENT_SCOPE)
        set(${arg_C_SOURCES} ${listed} PARENT_SCOPE)
    endif()
    if(arg_CPP_HEADERS)
        _lcm_generate(cpp "${out}" "${arg_PACKAGE_PREFIX}" "${arg_CPP_INCLUDE}" "${files}")
        set(${arg_CPP_HEADERS} ${listed} PARENT_SCOPE)
    endif()
    if(arg_JAVA_SOURCES)
        _lcm_generate(java "${out}" "${arg_PACKAGE_PREFIX}" "" "${files}")
        set(${arg_JAVA_SOURCES} ${listed} PARENT_SCOPE)
    endif()
    if(arg_PYTHON_SOURCES)
        _lcm_generate(python "${out}" "${arg_PACKAGE_PREFIX}" "" "${files}")
        set(${arg_PYTHON_SOURCES} ${listed} PARENT_SCOPE)
    endif()
endfunction()

# Adds the command that generates code in one language; sets `listed` to its files. A change of the type files runs CMake again, since it
# may change which files these are.
function(_lcm_generate lang out prefix include files)
    set(call "${SALTUS_EXECUTABLE}" gen --style lcm --lang ${lang} --out "${out}")
    if(prefix)
        list(APPEND call --package-prefix "${prefix}")
    endif()
    if(include)
        list(APPEND call --include-folder "${include}")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    execute_process(COMMAND ${call} --list ${files} OUTPUT_VARIABLE listed ERROR_VARIABLE why RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "lcm_wrap_types:\n${why}")
    endif()
    string(REGEX REPLACE "\n$" "" listed "${listed}")
    string(REPLACE "\n" ";" listed "${listed}")
    # Files that stay the same keep their time: those of the build are touched.
    add_custom_command(
        OUTPUT ${listed}
        COMMAND ${call} --quiet ${files}
        COMMAND ${CMAKE_COMMAND} -E touch ${listed}
        DEPENDS ${files} "${SALTUS_EXECUTABLE}"
        COMMENT "Generating code in ${lang} for LCM's types"
        VERBATIM)
    set(listed "${listed}" PARENT_SCOPE)
endfunction()

function(lcm_add_library name language)
    if(language STREQUAL "C")
        add_library(${name} ${ARGN})
        get_target_property(type ${name} TYPE)
        if(type STREQUAL "STATIC_LIBRARY")
            target_link_libraries(${name} PUBLIC lcm-coretypes)
        else()
            target_link_libraries(${name} PUBLIC lcm)
        endif()
        target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}>")
    elseif(language STREQUAL "CPP")
        add_library(${name} INTERFACE)
        target_compile_features(${name} INTERFACE cxx_std_17)
        target_link_libraries(${name} INTERFACE lcm-coretypes)
        target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}>")
        add_custom_target(${name}.sources DEPENDS ${ARGN})
        add_dependencies(${name} ${name}.sources)
    else()
        message(FATAL_ERROR "lcm_add_library: the language is \"${language}\"; it must be C or CPP")
    endif()
endfunction()

function(lcm_target_link_libraries target)
    target_link_libraries(${target} ${ARGN})
endfunction()

function(_lcm_install default)
    cmake_parse_arguments(arg "" "DESTINATION;RELATIVE_PATH" "" ${ARGN})
    if(NOT arg_DESTINATION)
        set(arg_DESTINATION "${default}")
    endif()
    if(NOT arg_RELATIVE_PATH)
        set(arg_RELATIVE_PATH "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
        file(RELATIVE_PATH place "${arg_RELATIVE_PATH}" "${file}")
        get_filename_component(place "${place}" DIRECTORY)
        install(FILES "${file}" DESTINATION "${arg_DESTINATION}/${place}")
    endforeach()
endfunction()

function(lcm_install_headers)
    _lcm_install(include ${ARGN})
endfunction()

function(lcm_install_python)
    set(place "")
    if(NOT "DESTINATION" IN_LIST ARGN)
        find_package(Python COMPONENTS Interpreter REQUIRED)
        execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_path('platlib'))"
            OUTPUT_VARIABLE place OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    _lcm_install("${place}" ${ARGN})
endfunction()
