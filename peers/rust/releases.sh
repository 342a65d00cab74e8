#!/bin/sh
# Prints the releases of a crate, one a line: releases.sh CRATE
#
# Cargo has no command for this. But it asks its registry, whichever the user has configured, for the whole index entry
# of a crate, and keeps that below its home.
set -eu
name=$1
cargo info --quiet "$name" >/dev/null
case $name in
    ?) folder=1 ;;
    ??) folder=2 ;;
    ???) folder=3/$(printf %.1s "$name") ;;
    *) folder=$(printf %.2s "$name")/$(printf %.4s "$name" | cut -c 3-4) ;;
esac
cat "${CARGO_HOME:-$HOME/.cargo}"/registry/index/*/.cache/"$folder/$name" | tr '\0' '\n' |
    sed -n '/"yanked": *true/d; s/^{.*"vers": *"\([^"]*\)".*$/\1/p'
