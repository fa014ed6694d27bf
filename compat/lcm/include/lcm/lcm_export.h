/* Marks of functions, for programs that use them. */
#ifndef LCM_EXPORT_H
#define LCM_EXPORT_H

#define LCM_EXPORT __attribute__((visibility("default")))
#define LCM_NO_EXPORT __attribute__((visibility("hidden")))
#define LCM_DEPRECATED __attribute__((__deprecated__))
#define LCM_DEPRECATED_EXPORT LCM_EXPORT LCM_DEPRECATED
#define LCM_DEPRECATED_NO_EXPORT LCM_NO_EXPORT LCM_DEPRECATED

#endif
