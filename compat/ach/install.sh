#!/bin/sh
# Builds Ach's library and command over Saltus, and installs them with the headers and the pkg-config file `ach`. Choose a PREFIX in
# which Ach is not installed.
#
#   compat/ach/install.sh PREFIX                  for instance /opt/saltus-ach
#   compat/ach/install.sh --uninstall PREFIX      removes what was installed, and nothing else
#
# LIBDIR    where the libraries go (default PREFIX/lib)
# DESTDIR   put before every path while installing, for packages
# PROFILE   how cargo builds it (default dist, as what is shipped; dev: built in less time, and slower)
# BUILT     the directory of libraries and command that are built already: cargo is then not called
set -eu

here=$(cd "$(dirname "$0")" && pwd)
package=saltus-ach name="Ach over Saltus" record=saltus-ach.installed example=/opt/saltus-ach others=libach.so.4
. "$here/../../packaging/install.sh"

for header in ach.h ach/generic.h ach/experimental.h; do
    put 644 "$here/include/$header" "$prefix/include/$header"
done
binary 644 "$built/libach.a" "$libdir/libach.a"
binary 755 "$built/libach.so" "$libdir/libach.so.4"
binary 755 "$built/ach" "$prefix/bin/ach"
link libach.so.4 "$libdir/libach.so"
# The event loop has a library of its own in Ach.
link libach.so.4 "$libdir/libach-experimental.so.0"
link libach.so.4 "$libdir/libach-experimental.so"
fill "$here/ach.pc.in" "$libdir/pkgconfig/ach.pc"
finish
