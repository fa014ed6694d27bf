#!/bin/sh
# Builds Ach's library and command over Saltus, and installs them with the headers and the pkg-config file `ach`:
#
#   compat/ach/install.sh PREFIX                  for instance /opt/saltus-ach
#   compat/ach/install.sh --uninstall PREFIX      removes what was installed, and nothing else
#
# LIBDIR   where the libraries go (default PREFIX/lib)
# DESTDIR  put before every path while installing, for those who make packages
# PROFILE  how cargo builds it (default dist, as what is shipped; dev: built in less time, and slower)
# BUILT    the directory of libraries and command that were built already: cargo is then not called
set -eu

uninstall=
[ "${1-}" != --uninstall ] || { uninstall=yes && shift; }
if [ $# -ne 1 ] || [ "${1#/}" = "$1" ]; then
    echo "usage: [LIBDIR=...] [DESTDIR=...] $0 [--uninstall] PREFIX   (an absolute path, for instance /opt/saltus-ach)" >&2
    exit 2
fi
prefix=${1%/}
libdir=${LIBDIR:-$prefix/lib}
dest=${DESTDIR:-}
# All that was made, files and directories.
list=$dest$libdir/saltus-ach.installed
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

if [ "$uninstall" ]; then
    [ -f "$list" ] || { echo "nothing of saltus-ach is installed in $dest$prefix: there is no $list" >&2 && exit 1; }
    made=$(sort -ru "$list") # what lies in a directory comes before it
    echo "$made" | while IFS= read -r path; do
        if [ -d "$dest$path" ] && [ ! -L "$dest$path" ]; then
            rmdir "$dest$path" 2> /dev/null || true # others put something there
        else
            rm -f "$dest$path"
        fi
    done
    echo "removed saltus-ach from $dest$prefix"
    exit 0
fi

profile=${PROFILE:-dist}
[ "${BUILT:-}" ] || cargo build --profile "$profile" --locked --package saltus-ach
[ "$profile" != dev ] || profile=debug # as cargo names its directory
built=${BUILT:-${CARGO_TARGET_DIR:-target}/$profile}

note() { made="${made-}$1
"; }
directory() {
    [ ! -d "$dest$1" ] || return 0
    [ "$1" = / ] || directory "$(dirname "$1")"
    mkdir "$dest$1"
    note "$1"
}
put() { # MODE FROM TO
    directory "$(dirname "$3")"
    install -m "$1" "$2" "$dest$3"
    note "$3"
}
link() { # TARGET NAME
    ln -sf "$1" "$dest$2"
    note "$2"
}

[ -z "$dest" ] || mkdir -p "$dest"
put 644 "$here/include/ach.h" "$prefix/include/ach.h"
put 644 "$here/include/ach/generic.h" "$prefix/include/ach/generic.h"
put 644 "$here/include/ach/experimental.h" "$prefix/include/ach/experimental.h"
put 644 "$built/libach.a" "$libdir/libach.a"
put 755 "$built/libach.so" "$libdir/libach.so.4"
put 755 "$built/ach" "$prefix/bin/ach"
! command -v strip > /dev/null || strip --strip-debug "$dest$libdir/libach.a" "$dest$libdir/libach.so.4" "$dest$prefix/bin/ach"
link libach.so.4 "$libdir/libach.so"
# The event loop has a library of its own in Ach.
link libach.so.4 "$libdir/libach-experimental.so.0"
link libach.so.4 "$libdir/libach-experimental.so"
directory "$libdir/pkgconfig"
sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" -e "s|@PRIVATE@| -lgcc_s -lpthread -ldl -lm|" \
    "$here/ach.pc.in" > "$dest$libdir/pkgconfig/ach.pc"
note "$libdir/pkgconfig/ach.pc"
note "$libdir/saltus-ach.installed"
printf '%s' "$made" | sort -u - $([ ! -f "$list" ] || echo "$list") -o "$list"
echo "installed saltus-ach in $dest$prefix"
