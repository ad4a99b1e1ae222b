CREATE TABLE inbox (
  guid TEXT NOT NULL,
  delivery TEXT NOT NULL,
  received_at DATETIME NOT NULL,
  routed_at DATETIME,
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  CONSTRAINT inbox_guid UNIQUE (guid)
);
CREATE INDEX inbox_pending ON inbox (seq) WHERE routed_at IS NULL
