/* The prefix of LCM's functions. A program may define LCM_C_NAMESPACE to use a library that was built with another one. */
#ifndef LCM_C_NAMESPACE_H
#define LCM_C_NAMESPACE_H

#ifndef LCM_C_NAMESPACE
#define LCM_C_NAMESPACE lcm
#endif

#define LCM_PP_CONCAT1(a, b) a##b
#define LCM_PP_CONCAT(a, b) LCM_PP_CONCAT1(a, b)
#define LCM_C_NAMESPACED(name) LCM_PP_CONCAT(LCM_PP_CONCAT(LCM_C_NAMESPACE, _), name)

#endif
