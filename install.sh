#!/bin/sh
# Installs Sealwright for this user: no root, nothing outside the home folder, the same result however often it runs.
#
#   sh install.sh                      the newest release, downloaded
#   sh install.sh --version 0.1.0      another release
#   sh install.sh --from FILE.tar.gz   an archive that is here already, with SHA256SUMS beside it
#   sh install.sh --into FOLDER        another place than ~/.local/bin
#
# An archive whose SHA-256 is not the one that was published is not unpacked.
set -eu

releases="https://github.com/sealwright/sealwright/releases"
target="x86_64-unknown-linux-musl"

fail() {
    printf 'not installed: %s\n' "$1" >&2
    exit 1
}

from="" version="" into=""
while [ "$#" -gt 0 ]; do
    [ "$1" = --help ] && { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0; }
    [ "$#" -ge 2 ] || fail "$1 needs a value; see --help"
    case "$1" in
        --from) from="$2" ;;
        --version) version="$2" ;;
        --into) into="$2" ;;
        *) fail "there is no option $1; see --help" ;;
    esac
    shift 2
done
[ -n "${HOME:-}" ] || fail "HOME is not set"
into="${into:-$HOME/.local/bin}"
[ "$(uname -s)" = Linux ] || fail "this program runs on Linux"
[ -n "$from" ] || [ "$(uname -m)" = x86_64 ] || fail "there is no release for $(uname -m) yet; build it with cargo"
command -v sha256sum >/dev/null 2>&1 || fail "sha256sum is needed to check what was downloaded"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fetch() {
    if command -v curl >/dev/null 2>&1; then
        curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$2" "$1" || fail "cannot download $1"
    elif command -v wget >/dev/null 2>&1; then
        wget --quiet --https-only --output-document="$2" "$1" || fail "cannot download $1"
    else
        fail "curl or wget is needed, or an archive: --from FILE"
    fi
}

if [ -n "$from" ]; then
    [ -f "$from" ] || fail "there is no file $from"
    name="$(basename "$from")"
    sums="$(dirname "$from")/SHA256SUMS"
    [ -f "$sums" ] || fail "there is no SHA256SUMS beside $from"
    # What is checked is what is unpacked, whatever happens to the file meanwhile.
    cp "$from" "$work/archive"
else
    if [ -n "$version" ]; then here="$releases/download/v$version"; else here="$releases/latest/download"; fi
    sums="$work/SHA256SUMS"
    fetch "$here/SHA256SUMS" "$sums"
    name="$(sed -n "s/^[0-9a-f]\{64\}  \(sealwright-[0-9A-Za-z.+-]*-$target\.tar\.gz\)\$/\1/p" "$sums" | head -n 1)"
    [ -n "$name" ] || fail "the release has no archive for $target"
    fetch "$here/$name" "$work/archive"
fi

wanted="$(awk -v name="$name" '$2 == name { print $1; exit }' "$sums")"
[ -n "$wanted" ] || fail "SHA256SUMS does not name $name"
found="$(sha256sum "$work/archive" | cut -d ' ' -f 1)"
[ "$wanted" = "$found" ] || fail "$name is not what was published: its SHA-256 is $found, not $wanted"

mkdir "$work/unpacked"
tar -xzf "$work/archive" -C "$work/unpacked" --strip-components=1 --no-same-owner || fail "$name cannot be unpacked"
said="$("$work/unpacked/sealwright" --version)" || fail "the program does not run on this machine"

# Put beside its place first, so that whoever starts it meets the old one or the new one and nothing between.
place() {
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2.new.$$"
    mv -f "$2.new.$$" "$2"
}
share="${XDG_DATA_HOME:-$HOME/.local/share}"
place "$work/unpacked/sealwright" "$into/sealwright"
chmod 755 "$into/sealwright"
place "$work/unpacked/completions/sealwright.bash" "$share/bash-completion/completions/sealwright"
place "$work/unpacked/completions/_sealwright" "$share/zsh/site-functions/_sealwright"
place "$work/unpacked/completions/sealwright.fish" "$share/fish/vendor_completions.d/sealwright.fish"
for page in "$work"/unpacked/man/*.1; do
    place "$page" "$share/man/man1/$(basename "$page")"
done

printf '%s is installed: %s\n' "$said" "$into/sealwright"
case ":${PATH:-}:" in
    *":$into:"*) printf 'next: sealwright demo\n' ;;
    *)
        printf '%s is not on your PATH. Add this line to ~/.profile (or ~/.bashrc, ~/.zshrc) and open a new shell:\n' "$into"
        # shellcheck disable=SC2016
        printf '    export PATH="%s:$PATH"\n' "$into"
        printf 'next: %s demo\n' "$into/sealwright"
        ;;
esac
