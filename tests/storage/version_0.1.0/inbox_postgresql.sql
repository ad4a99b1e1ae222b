CREATE TABLE inbox (
  guid TEXT NOT NULL,
  delivery TEXT NOT NULL,
  received_at TIMESTAMP WITH TIME ZONE NOT NULL,
  routed_at TIMESTAMP WITH TIME ZONE,
  seq BIGINT GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (seq),
  CONSTRAINT inbox_guid UNIQUE (guid)
);
CREATE INDEX inbox_pending ON inbox (seq) WHERE routed_at IS NULL
