-- Each change to a call adds a link: hash = SHA-256(hash of the link before, digest of what was stored).
-- kind: 1 intent, 2 outcome, 3 pruned.
CREATE TABLE chain (n INTEGER PRIMARY KEY, seq INTEGER NOT NULL, kind INTEGER NOT NULL, digest BLOB NOT NULL, hash BLOB NOT NULL);

-- from: calls up to this seq are older than the chain. anchor: hash of the last link that was cut off.
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL);
INSERT INTO meta SELECT 'from', COALESCE(MAX(seq), 0) FROM calls;
INSERT INTO meta VALUES ('anchor', zeroblob(32));
