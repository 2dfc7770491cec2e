#!/bin/sh
# A service that runs is started again with the new program. A first start is left to the operator: what SEGEL_PUBLIC_URL says then is written into
# every certificate.
set -e
case $1 in
  configure | 1 | 2) ;; # dpkg; rpm: installed, upgraded
  *) exit 0 ;;
esac
[ -d /var/lib/segel ] || install -d -m 0700 -o segel -g segel /var/lib/segel
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
# Not waited for: a migration may take long, and settings that are not understood are no reason to leave the package half installed.
systemctl --no-block try-restart segel.service
