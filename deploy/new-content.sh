#!/bin/sh
# Serves a new export in place of the old one: new-content.sh EXPORT
#
# Checks the export, makes it the snapshot, restarts Lectern, and waits until it is ready. If it does not get ready, the
# old snapshot comes back. docs/new-content.md explains the steps.
set -eu

fail() {
  echo "new-content: $1" >&2
  exit 1
}

[ $# -eq 1 ] || fail 'usage: new-content.sh EXPORT'
archive=$1
# holds the archives, and the link `snapshot` to the one that is served
folder=${CONTENT_FOLDER:-/srv/lectern}
# the group of the server: nobody else can read the archives
group=${CONTENT_GROUP:-lectern}
lectern=${CONTENT_LECTERN:-/usr/bin/node /opt/lectern/dist/cli.js}
config=${CONTENT_CONFIG:-/etc/lectern/config.json}
restart=${CONTENT_RESTART:-systemctl restart lectern}
ready=${CONTENT_READY:-http://127.0.0.1:1339/_ready}
# seconds until the server must be ready
limit=${CONTENT_LIMIT:-120}

# replaces the link in one step
point_to() {
  ln -sfn "$1" "$folder/snapshot.next"
  mv -T "$folder/snapshot.next" "$folder/snapshot"
}

# sets `problem` if the server does not get ready. A request takes at most five seconds, so the last can end after the limit.
becomes_ready() {
  deadline=$(($(date +%s) + limit))
  while :; do
    status=$(curl --silent --max-time 5 --output /dev/null --write-out '%{http_code}' "$ready") || true
    [ "$status" != 200 ] || return 0
    [ "$(date +%s)" -lt "$deadline" ] || break
    sleep 1
  done
  [ "$status" != 000 ] || status='no answer'
  problem="Lectern did not get ready within $limit s: last status of $ready: $status"
  return 1
}

[ -L "$folder/snapshot" ] || fail "$folder/snapshot is not a link: move the archive aside and link to it"
old=$(readlink "$folder/snapshot")
new=content-$(date -u +%Y%m%dT%H%M%SZ).tar.gz
[ ! -e "$folder/$new" ] || fail "$folder/$new exists: another run has just begun"
if ! install -m 640 -g "$group" "$archive" "$folder/$new"; then
  rm -f "$folder/$new"
  fail 'the export cannot be copied; the old content stays'
fi

if ! $lectern check "$folder/$new" --config "$config"; then
  rm "$folder/$new"
  fail 'the export has errors; the old content stays'
fi

point_to "$new"
problem="\"$restart\" failed"
if ! { $restart && becomes_ready; }; then
  point_to "$old"
  rm "$folder/$new"
  $restart || true
  fail "$problem; $old is back"
fi

# keeps the three newest archives
find "$folder" -name 'content-*.tar.gz' | sort | head -n -3 | while read -r path; do rm "$path"; done
echo "new-content: $new is served"
