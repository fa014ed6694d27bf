#!/bin/sh
# Builds the C library and installs it with its headers for C and C++, its pkg-config file, and its CMake package
# (find_package(saltus); find_package(SaltusTypes) for generated code alone):
#
#   bindings/c/install.sh PREFIX                  for instance /usr/local
#   bindings/c/install.sh --uninstall PREFIX      removes what was installed, and nothing else
#
# LIBDIR    where the libraries go (default PREFIX/lib)
# DESTDIR   put before every path while installing, for those who make packages
# PROFILE   how cargo builds it (default dist, as what is shipped; dev: built in less time, and slower)
# PACKAGES  what cargo builds (default --package saltus-c; tests say --workspace --lib, so that what they have built serves again)
# FEATURES  providers that are not in the plain build, such as zmq,dds,zenoh
set -eu

uninstall=
[ "${1-}" != --uninstall ] || { uninstall=yes && shift; }
if [ $# -ne 1 ] || [ "${1#/}" = "$1" ]; then
    echo "usage: [LIBDIR=...] [DESTDIR=...] $0 [--uninstall] PREFIX   (an absolute path, for instance /usr/local)" >&2
    exit 2
fi
prefix=${1%/}
libdir=${LIBDIR:-$prefix/lib}
dest=${DESTDIR:-}
# All that was made, files and directories.
list=$dest$libdir/cmake/saltus/installed
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

if [ "$uninstall" ]; then
    [ -f "$list" ] || { echo "nothing of Saltus is installed in $dest$prefix: there is no $list" >&2 && exit 1; }
    # What lies in a directory comes before it.
    made=$(sort -ru "$list")
    echo "$made" | while IFS= read -r path; do
        if [ -d "$dest$path" ] && [ ! -L "$dest$path" ]; then
            rmdir "$dest$path" 2> /dev/null || true # others put something there
        else
            rm -f "$dest$path"
        fi
    done
    echo "removed saltus from $dest$prefix"
    exit 0
fi

profile=${PROFILE:-dist}
cargo build --profile "$profile" --locked ${PACKAGES:---package saltus-c} ${FEATURES:+--features "$FEATURES"}
[ "$profile" != dev ] || profile=debug # as cargo names its directory
built=${CARGO_TARGET_DIR:-target}/$profile
version=$(cargo pkgid --package saltus-c)
version=${version##*[#@]}
# What programs remember, and look for when they start; build.rs chose it.
soname=$(readelf -d "$built/libsaltus.so" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
# What a program needs that is linked statically.
native="gcc_s pthread dl m"
case " $(echo "${FEATURES:-}" | tr , ' ') " in *" zmq "*) native="$native zmq" ;; esac

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
fill() { # FROM TO: with what is known now
    directory "$(dirname "$2")"
    sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" -e "s|@VERSION@|$version|" -e "s|@SONAME@|$soname|" \
        -e "s|@PRIVATE@|$(printf ' -l%s' $native)|" -e "s|@LIBRARIES@|$(echo $native | tr ' ' ';')|" "$1" > "$dest$2"
    note "$2"
}

[ -z "$dest" ] || mkdir -p "$dest"
cmake=$libdir/cmake
put 644 "$here/include/saltus.h" "$prefix/include/saltus.h"
put 644 "$here/include/saltus.hpp" "$prefix/include/saltus.hpp"
for header in "$here"/include/saltus/*.hpp; do
    put 644 "$header" "$prefix/include/saltus/${header##*/}"
done
put 644 "$built/libsaltus.a" "$libdir/libsaltus.a"
put 755 "$built/libsaltus.so" "$libdir/libsaltus.so.$version"
# Without what only a debugger of Saltus itself reads, which is most of it.
! command -v strip > /dev/null || strip --strip-debug "$dest$libdir/libsaltus.a" "$dest$libdir/libsaltus.so.$version"
link "libsaltus.so.$version" "$libdir/$soname"
link "$soname" "$libdir/libsaltus.so"
fill "$here/saltus.pc.in" "$libdir/pkgconfig/saltus.pc"
fill "$here/cmake/saltusConfig.cmake.in" "$cmake/saltus/saltusConfig.cmake"
fill "$here/cmake/saltusConfigVersion.cmake.in" "$cmake/saltus/saltusConfigVersion.cmake"
put 644 cmake/SaltusTypes.cmake "$cmake/SaltusTypes/SaltusTypesConfig.cmake"
note "$libdir/cmake/saltus/installed"
# An earlier installation made directories that were found this time.
printf '%s' "$made" | sort -u - $([ ! -f "$list" ] || echo "$list") -o "$list"
echo "installed saltus $version in $dest$prefix"
