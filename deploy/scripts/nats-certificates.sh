#!/usr/bin/env bash
# The certificate that the servers of a NATS cluster show each other, and the authority that signs it and nothing else.
#
#   nats-certificates.sh FOLDER NAME...      such as: compose/certificates/nats-routes nats nats-2 nats-3
#
# FOLDER gets ca.crt, tls.crt and tls.key; the authority's key lies beside it as FOLDER-ca.key, for the next certificate: keep it
# where no server reads it. A second run makes a new certificate of the same authority, so that servers can be restarted one
# after the other. A NAME is one of DNS, or an address.
set -euo pipefail
umask 077

[ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=${1%/}; shift
authority=$folder-ca.key
# A certificate of the authority is checked by name, so that it may be as long as the authority.
days=3650

names=
for name in "$@"; do
  case $name in
    *[!0-9.]*) names+=${names:+,}DNS:$name ;;
    *) names+=${names:+,}IP:$name ;;
  esac
done

new_key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
mkdir -p "$folder"
if [ ! -e "$authority" ]; then
  openssl req -x509 "${new_key[@]}" -days "$days" -subj "/CN=TARSy NATS routes" -keyout "$authority" -out "$folder/ca.crt" 2>/dev/null
fi
request=$(openssl req "${new_key[@]}" -subj "/CN=TARSy NATS" -keyout "$folder/tls.key" 2>/dev/null)
printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$names" |
  openssl x509 -req -in <(printf '%s\n' "$request") -CA "$folder/ca.crt" -CAkey "$authority" -set_serial "0x$(openssl rand -hex 16)" \
    -days "$days" -extfile /dev/stdin -out "$folder/tls.crt" 2>/dev/null
printf 'made %s/tls.crt for %s\n' "$folder" "$names"
