#!/bin/sh
# usage: tools/venv.sh FOLDER
# Make a virtual environment with the first Python that can: 3.11 or newer, with its venv module.
# PYTHON="..." names other interpreters to try.
set -eu

old=
bare=
for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        old=${old:-"$python is $version"}
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        bare=${bare:-$version}
    elif "$python" -m venv "$1"; then
        exit 0
    else
        # Its parts are here, and yet it cannot: another one may.
        rm -rf "$1"
        bare=${bare:-$version}
    fi
done

if [ -n "$bare" ]; then
    echo "Python $bare is here without its venv module: install the Debian package python3-venv (or python$bare-venv), then make again." >&2
else
    echo "finalturn needs Python 3.11 or newer${old:+ ($old)}: install one, or name one with PYTHON=/path/to/python make." >&2
fi
exit 1
