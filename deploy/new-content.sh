#!/bin/sh
# Serves a new snapshot in place of the old one: new-content.sh SNAPSHOT
#
# Takes whatever `lectern check` takes: an export, a JSON snapshot (folder or file), or a prebuilt image with the folder
# of its uploaded files beside it. Checks it, makes it the snapshot, restarts Lectern, and waits until it is ready. If it
# does not get ready, the old snapshot comes back. docs/new-content.md explains the steps.
set -eu
umask 077

fail() {
  echo "new-content: $1" >&2
  exit 1
}

[ $# -eq 1 ] || fail 'usage: new-content.sh SNAPSHOT'
source=${1%/}
# holds the snapshots, and the link `snapshot` to the one that is served
folder=${CONTENT_FOLDER:-/srv/lectern}
# the group of the server: nobody else can read the snapshots
group=${CONTENT_GROUP:-lectern}
lectern=${CONTENT_LECTERN:-/usr/bin/node /opt/lectern/dist/cli.js}
config=${CONTENT_CONFIG:-/etc/lectern/config.json}
restart=${CONTENT_RESTART:-systemctl restart lectern}
ready=${CONTENT_READY:-http://127.0.0.1:1339/_ready}
# seconds until the server must be ready
limit=${CONTENT_LIMIT:-120}

# copies a file or folder so that only root can write it and only the group can read it
copy() {
  cp -RH "$1" "$2" && chgrp -R "$group" "$2" && chmod -R u=rwX,g=rX,o= "$2"
}

# the folder with the uploaded files of a prebuilt image
uploads_of() {
  echo "${1%.lectern}.uploads"
}

# makes a link point to a target in one step; removes it if the target is empty
link() {
  if [ -n "$2" ]; then
    ln -sfn "$2" "$folder/$1.next"
    mv -T "$folder/$1.next" "$folder/$1"
  else
    rm -f "$folder/$1"
  fi
}

# serves a snapshot and the folder with its uploaded files after the next restart
serve() {
  link snapshot.uploads "$2"
  link snapshot "$1"
}

remove() {
  rm -rf "${folder:?}/$1" "$folder/$(uploads_of "$1")"
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

[ -L "$folder/snapshot" ] || fail "$folder/snapshot is not a link: move the snapshot aside and link to it"
old=$(readlink "$folder/snapshot")
old_uploads=$(readlink "$folder/snapshot.uploads") || [ ! -e "$folder/snapshot.uploads" ] ||
  fail "$folder/snapshot.uploads is not a link: move the folder aside and link to it"
# the name ends as that of the new snapshot, because a JSON file is recognised by `.json`
case $(basename "$source") in
  *.tar.gz) extension=.tar.gz ;;
  *.*) if [ -d "$source" ]; then extension=; else extension=.${source##*.}; fi ;;
  *) extension= ;;
esac
new=content-$(date -u +%Y%m%dT%H%M%SZ)$extension
[ ! -e "$folder/$new" ] || fail "$folder/$new exists: another run has just begun"
new_uploads=
[ ! -d "$(uploads_of "$source")" ] || new_uploads=$(uploads_of "$new")
if ! { copy "$source" "$folder/$new" &&
  { [ -z "$new_uploads" ] || copy "$(uploads_of "$source")" "$folder/$new_uploads"; }; }; then
  remove "$new"
  fail 'the new content cannot be copied; the old content stays'
fi

if ! $lectern check "$folder/$new" --config "$config"; then
  remove "$new"
  fail 'the new content has errors; the old content stays'
fi

serve "$new" "$new_uploads"
problem="\"$restart\" failed"
if ! { $restart && becomes_ready; }; then
  serve "$old" "$old_uploads"
  remove "$new"
  $restart || true
  fail "$problem; $old is back"
fi

# keeps the three newest snapshots
find "$folder" -maxdepth 1 -name 'content-[0-9]*' ! -name '*.uploads' | sort | head -n -3 |
  while read -r path; do remove "$(basename "$path")"; done
echo "new-content: $new is served"
