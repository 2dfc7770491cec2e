#!/bin/sh
# Makes the user before the files are unpacked: the settings belong to its group. It stays when the package is removed, because the data do.
set -e
getent group segel >/dev/null || groupadd --system segel
getent passwd segel >/dev/null ||
  useradd --system --gid segel --home-dir /var/lib/segel --no-create-home --shell /usr/sbin/nologin --comment Segel segel
