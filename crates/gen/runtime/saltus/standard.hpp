/*
 * Reports which C++ the code of `saltus gen` needs, before a compiler prints hundreds of errors.
 */
#ifndef SALTUS_STANDARD_HPP
#define SALTUS_STANDARD_HPP

#if __cplusplus < 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error "the C++ code of saltus gen needs C++17: compile with -std=c++17 or later, or generate with --lang c"
#include "saltus needs C++17" // does not exist, which ends the compilation here
#endif

#endif // SALTUS_STANDARD_HPP
