#!/bin/sh
# Builds LCM's C library over Saltus and installs it under LCM's names: liblcm.so.1, the headers in lcm/, lcm.pc, and the CMake package
# (find_package(lcm)). Choose a PREFIX in which LCM is not installed.
#
#   compat/lcm/install.sh PREFIX                  for instance /opt/saltus-lcm
#   compat/lcm/install.sh --uninstall PREFIX      removes what was installed, and nothing else
#
# LIBDIR    where the libraries go (default PREFIX/lib)
# DESTDIR   put before every path while installing, for packages
# PROFILE   how cargo builds it (default dist, as what is shipped; dev: built in less time, and slower)
# BUILT     the directory of libraries that are built already: cargo is then not called
# FEATURES  providers that are not in the plain build, such as zmq,dds,zenoh
set -eu

here=$(cd "$(dirname "$0")" && pwd)
package=saltus-lcm name="LCM over Saltus" record=cmake/lcm/installed example=/opt/saltus-lcm others=liblcm.so.1
. "$here/../../packaging/install.sh"

cmake=$libdir/cmake
for header in "$here"/include/lcm/*; do
    put 644 "$header" "$prefix/include/lcm/${header##*/}"
done
binary 644 "$built/liblcm.a" "$libdir/liblcm.a"
binary 755 "$built/liblcm.so" "$libdir/liblcm.so.$version"
link "liblcm.so.$version" "$libdir/liblcm.so.1"
link liblcm.so.1 "$libdir/liblcm.so"
fill "$here/lcm.pc.in" "$libdir/pkgconfig/lcm.pc"
fill "$here/cmake/lcmConfig.cmake.in" "$cmake/lcm/lcmConfig.cmake"
fill "$here/cmake/lcmConfigVersion.cmake.in" "$cmake/lcm/lcmConfigVersion.cmake"
put 644 "$here/cmake/lcmUtilities.cmake" "$cmake/lcm/lcmUtilities.cmake"
finish
