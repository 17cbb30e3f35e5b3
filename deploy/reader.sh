#!/bin/sh
# Makes the role of Lectern, which may read the tables of Strapi and those that it makes later.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$READER_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE lectern LOGIN PASSWORD :'password';
GRANT USAGE ON SCHEMA public TO lectern;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO lectern;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO lectern;
SQL
