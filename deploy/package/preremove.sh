#!/bin/sh
set -e
case $1 in
  remove | 0) ;; # dpkg; rpm. During an upgrade the service runs on until the new program is there.
  *) exit 0 ;;
esac
[ ! -d /run/systemd/system ] || systemctl disable --now segel.socket segel-http.socket segel.service
