#!/bin/sh
# Builds LCM's C library over Saltus and installs it under LCM's names: liblcm.so.1, the headers in lcm/, lcm.pc, and the CMake package
# (find_package(lcm)). Choose a PREFIX in which LCM is not installed.
#
#   compat/lcm/install.sh PREFIX                  for instance /usr/local
#   compat/lcm/install.sh --uninstall PREFIX      removes what was installed, and nothing else
#
# LIBDIR    where the libraries go (default PREFIX/lib)
# DESTDIR   put before every path while installing, for those who make packages
# PROFILE   how cargo builds it (default dist, as what is shipped; dev: built in less time, and slower)
# BUILT     the directory of libraries that were built already: cargo is then not called
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
list=$dest$libdir/cmake/lcm/installed
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

if [ "$uninstall" ]; then
    [ -f "$list" ] || { echo "nothing of LCM over Saltus is installed in $dest$prefix: there is no $list" >&2 && exit 1; }
    # What lies in a directory comes before it.
    made=$(sort -ru "$list")
    echo "$made" | while IFS= read -r path; do
        if [ -d "$dest$path" ] && [ ! -L "$dest$path" ]; then
            rmdir "$dest$path" 2> /dev/null || true # others put something there
        else
            rm -f "$dest$path"
        fi
    done
    echo "removed lcm from $dest$prefix"
    exit 0
fi

if [ -e "$dest$libdir/liblcm.so.1" ] && [ ! -f "$list" ]; then
    echo "$dest$libdir has another liblcm.so.1: choose another PREFIX" >&2
    exit 1
fi

profile=${PROFILE:-dist}
[ "${BUILT:-}" ] || cargo build --profile "$profile" --locked --package saltus-lcm ${FEATURES:+--features "$FEATURES"}
[ "$profile" != dev ] || profile=debug # as cargo names its directory
built=${BUILT:-${CARGO_TARGET_DIR:-target}/$profile}
version=$(cargo pkgid --package saltus-lcm)
version=${version##*[#@]}
soname=liblcm.so.1
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
    sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" -e "s|@VERSION@|$version|" \
        -e "s|@PRIVATE@|$(printf ' -l%s' $native)|" -e "s|@LIBRARIES@|$(echo $native | tr ' ' ';')|" "$1" > "$dest$2"
    note "$2"
}

[ -z "$dest" ] || mkdir -p "$dest"
cmake=$libdir/cmake
for header in "$here"/include/lcm/*; do
    put 644 "$header" "$prefix/include/lcm/${header##*/}"
done
put 644 "$built/liblcm.a" "$libdir/liblcm.a"
put 755 "$built/liblcm.so" "$libdir/liblcm.so.$version"
# Without what only a debugger of Saltus itself reads, which is most of it.
! command -v strip > /dev/null || strip --strip-debug "$dest$libdir/liblcm.a" "$dest$libdir/liblcm.so.$version"
link "liblcm.so.$version" "$libdir/$soname"
link "$soname" "$libdir/liblcm.so"
fill "$here/lcm.pc.in" "$libdir/pkgconfig/lcm.pc"
fill "$here/cmake/lcmConfig.cmake.in" "$cmake/lcm/lcmConfig.cmake"
fill "$here/cmake/lcmConfigVersion.cmake.in" "$cmake/lcm/lcmConfigVersion.cmake"
put 644 "$here/cmake/lcmUtilities.cmake" "$cmake/lcm/lcmUtilities.cmake"
note "$libdir/cmake/lcm/installed"
# An earlier installation made directories that were found this time.
printf '%s' "$made" | sort -u - $([ ! -f "$list" ] || echo "$list") -o "$list"
echo "installed lcm (Saltus $version) in $dest$prefix"
