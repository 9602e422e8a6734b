-- What was called, and how it ended. Times are nanoseconds since 1970, 0 for none.
CREATE TABLE calls (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  parent TEXT NOT NULL, run TEXT NOT NULL, sender TEXT NOT NULL, tool TEXT NOT NULL, tab TEXT NOT NULL,
  args BLOB, args_blob TEXT NOT NULL DEFAULT '',
  mutates INTEGER NOT NULL, at INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT '', code TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '',
  result BLOB, result_blob TEXT NOT NULL DEFAULT '', ended INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX calls_by_run ON calls (run, seq);

-- Large values by SHA-256, and which call names which. A blob that no call names is garbage.
CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE refs (seq INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (seq, hash)) WITHOUT ROWID;

CREATE TABLE runs (
  id TEXT PRIMARY KEY, parent TEXT NOT NULL, goal TEXT NOT NULL, status TEXT NOT NULL,
  spec BLOB, state BLOB, started INTEGER NOT NULL, ended INTEGER NOT NULL
);
CREATE INDEX runs_by_start ON runs (started);

CREATE TABLE leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, started INTEGER NOT NULL, expires INTEGER NOT NULL);

CREATE TABLE kv (space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (space, key));
