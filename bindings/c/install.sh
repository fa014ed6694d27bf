#!/bin/sh
# Builds the C library and installs it with its headers for C and C++, its pkg-config file, and its CMake package
# (find_package(saltus); find_package(SaltusTypes) for generated code alone):
#
#   bindings/c/install.sh PREFIX                  for instance /usr/local
#   bindings/c/install.sh --uninstall PREFIX      removes what was installed, and nothing else
#
# LIBDIR    where the libraries go (default PREFIX/lib)
# DESTDIR   put before every path while installing, for packages
# PROFILE   how cargo builds it (default dist, as what is shipped; dev: built in less time, and slower)
# BUILT     the directory of libraries that are built already: cargo is then not called
# PACKAGES  what cargo builds (default --package saltus-c; a test says --workspace --lib, so that what others have built serves again)
# FEATURES  providers that are not in the plain build, such as zmq,dds,zenoh
set -eu

here=$(cd "$(dirname "$0")" && pwd)
package=saltus-c name=saltus record=cmake/saltus/installed example=/usr/local others=
. "$here/../../packaging/install.sh"

# What programs remember, and look for when they start; build.rs chose it.
soname=$(readelf -d "$built/libsaltus.so" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
cmake=$libdir/cmake
put 644 "$here/include/saltus.h" "$prefix/include/saltus.h"
put 644 "$here/include/saltus.hpp" "$prefix/include/saltus.hpp"
for header in "$here"/include/saltus/*.hpp; do
    put 644 "$header" "$prefix/include/saltus/${header##*/}"
done
binary 644 "$built/libsaltus.a" "$libdir/libsaltus.a"
binary 755 "$built/libsaltus.so" "$libdir/libsaltus.so.$version"
link "libsaltus.so.$version" "$libdir/$soname"
link "$soname" "$libdir/libsaltus.so"
fill "$here/saltus.pc.in" "$libdir/pkgconfig/saltus.pc"
fill "$here/cmake/saltusConfig.cmake.in" "$cmake/saltus/saltusConfig.cmake"
fill "$here/cmake/saltusConfigVersion.cmake.in" "$cmake/saltus/saltusConfigVersion.cmake"
put 644 cmake/SaltusTypes.cmake "$cmake/SaltusTypes/SaltusTypesConfig.cmake"
finish
