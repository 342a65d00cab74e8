#!/usr/bin/env bash
# Holds the mocks against the official MCP conformance suite.
#
#   mocks/conformance/run.sh [MCP_COMPAT]
#
# MCP_COMPAT is the binary to test: the argument, else the variable of that name, else target/debug/mcp-compat.
# Exit status: 0 all passed, or skipped for want of npm or the network; 1 something failed; 2 there is no binary.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$(cd "$here/../.." && pwd)/target
binary=${1:-${MCP_COMPAT:-$target/debug/mcp-compat}}
# Kept from run to run; the lock file says when it is out of date.
suite=$target/conformance

skip() {
    echo "skipped: $*"
    exit 0
}

is_new_enough() { [[ "$("$1" --version 2>/dev/null)" =~ ^v([0-9]+) ]] && ((BASH_REMATCH[1] >= 22)); }

install() {
    mkdir -p "$suite"
    rm -f "$suite/installed"
    cp "$here/package.json" "$here/package-lock.json" "$suite/"
    # No script of any package is run. A Node.js that is new enough comes along as an optional package.
    (cd "$suite" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
        --fetch-retries=1 --fetch-timeout=60000) >"$suite/npm.log" 2>&1 ||
        skip "npm cannot install the suite: $(grep -m 1 . "$suite/npm.log" || echo 'it does not say why')"
    cp "$here/package-lock.json" "$suite/installed"
}

if ! [[ -x $binary ]]; then
    echo "there is no program at $binary; build it with: cargo build -p mcp-compat-cli" >&2
    exit 2
fi
command -v npm >/dev/null || skip 'there is no npm to install the conformance suite with'
cmp -s "$here/package-lock.json" "$suite/installed" || install

node=node
is_new_enough "$node" || node=$suite/node_modules/.bin/node
is_new_enough "$node" || skip "the conformance suite needs Node.js 22, and npm has none for this platform"

exec "$node" "$here/run.mjs" "$suite" "$(cd "$(dirname "$binary")" && pwd)/$(basename "$binary")"
