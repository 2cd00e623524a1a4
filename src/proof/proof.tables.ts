export const PROOF_TABLES = `
  -- One row. The origin is fixed at the first start, because checkpoints carry it.
  CREATE TABLE ledger_state (
    singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    origin     text    NOT NULL,
    size       bigint  NOT NULL DEFAULT 0,
    generation integer NOT NULL DEFAULT 0,
    stopped    text
  );
  CREATE TABLE ledger_tile (
    level      smallint NOT NULL,
    tile_index bigint   NOT NULL,
    hashes     bytea    NOT NULL,
    PRIMARY KEY (level, tile_index)
  );
  -- Hashes do not compress, and prefixes of tiles are read often.
  ALTER TABLE ledger_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;
  CREATE TABLE ledger_checkpoint (
    number       bigint      PRIMARY KEY,
    generation   integer     NOT NULL,
    size         bigint      NOT NULL,
    root         bytea       NOT NULL,
    note         text        NOT NULL,
    signed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    witnessed_at timestamptz
  );
  CREATE TABLE ledger_key (
    number       integer     PRIMARY KEY,
    verifier_key text        NOT NULL UNIQUE,
    wrapped      bytea,
    added_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_at   timestamptz
  );
  -- Checkpoints that instances know to have been signed although this database does not lead to them, for example after a failover.
  CREATE TABLE ledger_evidence (
    size     bigint      NOT NULL,
    root     bytea       NOT NULL,
    note     text        NOT NULL,
    source   text        NOT NULL,
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (size, root)
  );
  -- The signed statement that an origin of the log ended, by the number of losses before the origin that follows.
  CREATE TABLE ledger_origin_end (generation integer PRIMARY KEY, note text NOT NULL);

  -- Signature lines of witnesses under checkpoints of this log.
  CREATE TABLE ledger_cosignature (
    number      bigint      NOT NULL,
    witness_key text        NOT NULL,
    line        text        NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (number, witness_key)
  );
  CREATE INDEX ledger_cosignature_by_witness ON ledger_cosignature (witness_key, number);
  -- What this installation cosigned last for each log that it witnesses.
  CREATE TABLE witnessed_log (
    origin      text        PRIMARY KEY,
    size        bigint      NOT NULL,
    root        bytea       NOT NULL,
    note        text        NOT NULL,
    cosigned_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );

  -- Statements of closed months, in the bytes in which they are answered again (gzip); their events carry the hashes.
  CREATE TABLE statement (
    project_id bytea       NOT NULL,
    sha256     bytea       NOT NULL,
    document   bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, sha256)
  );
`;
