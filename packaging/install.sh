# What bindings/c/install.sh, compat/ach/install.sh and compat/lcm/install.sh have in common: they set these, then read this file.
#
#   package   the package of cargo
#   name      what is installed
#   record    the list of all that it makes, below LIBDIR
#   example   a PREFIX for the usage line
#   others    a library that another project may have installed in PREFIX, below LIBDIR; empty if none
#
# This file reads the arguments, uninstalls if they say so, and builds. Then `put`, `link` and `fill` install, and `finish` writes the list.

# Whether programs find what is in LIBDIR: the loader reads the names in its directories from a cache, which this makes again.
loader() {
    PATH=$PATH:/usr/sbin:/sbin ldconfig -N -X -v 2> /dev/null | grep -qF "$libdir: " && PATH=$PATH:/usr/sbin:/sbin ldconfig -X 2> /dev/null
}

uninstall=
[ "${1-}" != --uninstall ] || { uninstall=yes && shift; }
if [ $# -ne 1 ] || [ "${1#/}" = "$1" ]; then
    echo "usage: [LIBDIR=...] [DESTDIR=...] $0 [--uninstall] PREFIX   (an absolute path, for instance $example)" >&2
    exit 2
fi
prefix=${1%/}
libdir=${LIBDIR:-$prefix/lib}
dest=${DESTDIR:-}
# All that was made, files and directories.
list=$dest$libdir/$record
cd "$here/../.."

if [ "$uninstall" ]; then
    [ -f "$list" ] || { echo "nothing of $name is installed in $dest$prefix: there is no $list" >&2 && exit 1; }
    # What lies in a directory comes before it.
    made=$(sort -ru "$list")
    echo "$made" | while IFS= read -r path; do
        if [ -d "$dest$path" ] && [ ! -L "$dest$path" ]; then
            rmdir "$dest$path" 2> /dev/null || true # others put something there
        else
            rm -f "$dest$path"
        fi
    done
    [ "$dest" ] || loader || :
    echo "removed $name from $dest$prefix"
    exit 0
fi
if [ "$others" ] && [ -e "$dest$libdir/$others" ] && [ ! -f "$list" ]; then
    echo "$dest$libdir has another $others: choose another PREFIX" >&2
    exit 1
fi

profile=${PROFILE:-dist}
output=$profile
[ "$profile" != dev ] || output=debug # as cargo names its directory
built=${BUILT:-${CARGO_TARGET_DIR:-$PWD/target}/$output}
features=$(echo "${FEATURES:-}" | tr " " ,)
build="cargo build --profile $profile --locked ${PACKAGES:---package $package}${features:+ --features $features}"
# Before the build, which takes minutes.
for parent in "$dest$prefix" "$dest$libdir"; do
    while [ ! -e "$parent" ]; do parent=$(dirname "$parent"); done
    if [ ! -d "$parent" ] || [ ! -w "$parent" ]; then
        echo "cannot write to $parent: choose another PREFIX, or build first and install as root:" >&2
        echo "    (cd $PWD && $build)" >&2
        echo "    sudo env BUILT=$built${features:+ FEATURES=$features}${LIBDIR:+ LIBDIR=$LIBDIR}${DESTDIR:+ DESTDIR=$DESTDIR} $here/install.sh $prefix" >&2
        exit 1
    fi
done
[ "${BUILT:-}" ] || $build
# Of the package, or else of the workspace. Root, who installs what others built, has no cargo.
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" Cargo.toml | head -n 1)
[ "$version" ] || { echo "$here/Cargo.toml and Cargo.toml in $PWD have no version" >&2 && exit 1; }
# What a program needs that is linked statically.
native="gcc_s pthread dl m"
case " $(echo "$features" | tr , ' ') " in *" zmq "*) native="$native zmq" ;; esac

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
binary() { # MODE FROM TO: without what only a debugger of Saltus itself reads, which is most of it
    put "$1" "$2" "$3"
    ! command -v strip > /dev/null || strip --strip-debug "$dest$3"
}
link() { # TARGET NAME
    ln -sf "$1" "$dest$2"
    note "$2"
}
fill() { # FROM TO: with what is known now
    directory "$(dirname "$2")"
    sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$libdir|" -e "s|@VERSION@|$version|" -e "s|@SONAME@|${soname-}|" \
        -e "s|@PRIVATE@|$(printf ' -l%s' $native)|" -e "s|@LIBRARIES@|$(echo $native | tr ' ' ';')|" "$1" > "$dest$2"
    note "$2"
}
finish() {
    note "$libdir/$record"
    # An earlier installation made directories that were found this time.
    printf '%s' "$made" | sort -u - $([ ! -f "$list" ] || echo "$list") -o "$list"
    echo "installed $name $version in $dest$prefix"
    [ "$dest" ] || loader || echo "for programs to find its library: export LD_LIBRARY_PATH=$libdir"
}

[ -z "$dest" ] || mkdir -p "$dest"
