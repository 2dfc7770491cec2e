#!/bin/sh
# Data, keys and the user stay, also on purge: signed documents are kept for years, and without the keys they cannot be continued. dpkg deletes the
# settings on purge, which may hold the master key, so a copy is kept beside them. rpm keeps changed settings itself.
set -e
case $1 in
  remove) [ ! -f /etc/segel/segel.env ] || cp -p /etc/segel/segel.env /etc/segel/segel.env.removed ;;
esac
[ ! -d /run/systemd/system ] || systemctl daemon-reload
