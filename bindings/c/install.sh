#!/bin/sh
# Builds the C library and installs it with its header and its pkg-config file, and the CMake function that generates code
# for types, for find_package(SaltusTypes):
#
#   bindings/c/install.sh PREFIX          for instance /usr/local
#
# LIBDIR    where the libraries go (default PREFIX/lib)
# DESTDIR   put before every path while installing, for those who make packages
set -eu

if [ $# -ne 1 ] || [ "${1#/}" = "$1" ]; then
    echo "usage: [LIBDIR=...] [DESTDIR=...] $0 PREFIX   (an absolute path, for instance /usr/local)" >&2
    exit 2
fi
prefix=${1%/}
libdir=${LIBDIR:-$prefix/lib}
dest=${DESTDIR:-}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

cargo build --release --locked --package saltus-c
built=${CARGO_TARGET_DIR:-target}/release
version=$(cargo pkgid --package saltus-c)
version=${version##*[#@]}
# What programs remember, and look for when they start; build.rs chose it.
soname=$(readelf -d "$built/libsaltus.so" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')

mkdir -p "$dest$prefix/include" "$dest$libdir/pkgconfig" "$dest$libdir/cmake/SaltusTypes"
install -m 644 cmake/SaltusTypes.cmake "$dest$libdir/cmake/SaltusTypes/SaltusTypesConfig.cmake"
install -m 644 "$here/include/saltus.h" "$dest$prefix/include/"
install -m 644 "$built/libsaltus.a" "$dest$libdir/"
install -m 755 "$built/libsaltus.so" "$dest$libdir/libsaltus.so.$version"
ln -sf "libsaltus.so.$version" "$dest$libdir/$soname"
ln -sf "$soname" "$dest$libdir/libsaltus.so"
sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" -e "s|@VERSION@|$version|" "$here/saltus.pc.in" \
    > "$dest$libdir/pkgconfig/saltus.pc"
echo "installed saltus $version in $dest$prefix"
