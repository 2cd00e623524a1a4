import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS } from '../persistence/advisory-locks.ts';

/**
 * Leader leases; `epoch` is the fencing token. `(name, epoch)` is unique so that a takeover changes a key and a heartbeat does not: writers
 * that lock their epoch FOR KEY SHARE block takeovers but not heartbeats. The fill factor keeps heartbeats out of the indexes (HOT updates).
 */
const LEASE = `
  CREATE TABLE lease (
    name          text        PRIMARY KEY,
    holder        text,
    epoch         bigint      NOT NULL,
    heartbeat     timestamptz NOT NULL,
    pid           int         NOT NULL,
    backend_start timestamptz,
    UNIQUE (name, epoch)
  ) WITH (fillfactor = 50)`;

/** Unique claims across streams. `expires` is null for a permanent claim; `number` is set for numbered slots of an owner and for assigned integers. */
const CLAIM = `
  CREATE TABLE claim (
    kind    text        NOT NULL,
    key     text        NOT NULL,
    owner   text,
    number  bigint,
    holder  text        NOT NULL,
    expires timestamptz,
    PRIMARY KEY (kind, key)
  )`;

const CLAIM_BY_NUMBER = `CREATE UNIQUE INDEX claim_by_number ON claim (kind, owner, number) WHERE number IS NOT NULL`;
const CLAIM_BY_HOLDER = `CREATE INDEX claim_by_holder ON claim (kind, holder)`;
const CLAIM_BY_EXPIRY = `CREATE INDEX claim_by_expiry ON claim (expires) WHERE expires IS NOT NULL`;

/** With n slots taken, one of 1…n+1 is free. The lock is a separate statement before the query, so that the query sees the latest commits. */
const CLAIM_SLOT = `
  CREATE FUNCTION claim_slot(of_kind text, of_owner text, bound int, by text, seconds float8) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    until timestamptz := clock_timestamp() + seconds * interval '1 second';
    result text;
  BEGIN
    PERFORM pg_advisory_xact_lock(${String(ADVISORY_LOCKS.claims)}, hashtext(of_kind || ' ' || of_owner));

    UPDATE claim SET expires = CASE WHEN expires IS NOT NULL THEN until END
    WHERE kind = of_kind AND owner = of_owner AND holder = by
    RETURNING key INTO result;
    IF result IS NOT NULL THEN RETURN result; END IF;

    INSERT INTO claim (kind, key, owner, number, holder, expires)
    SELECT of_kind, of_owner || '/' || place, of_owner, place, by, until
    FROM generate_series(1, least(bound, 1 + (SELECT count(*) FROM claim c WHERE c.kind = of_kind AND c.owner = of_owner))) AS place
    WHERE NOT EXISTS (SELECT FROM claim c WHERE c.kind = of_kind AND c.owner = of_owner AND c.number = place)
      -- Slots above a lowered bound still count.
      AND (bound IS NULL OR bound > (SELECT count(*) FROM claim c WHERE c.kind = of_kind AND c.owner = of_owner))
    ORDER BY place LIMIT 1
    RETURNING key INTO result;
    RETURN result;
  END $$`;

const CLAIM_NEXT = `
  CREATE FUNCTION claim_next(of_kind text, by text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    result bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${String(ADVISORY_LOCKS.claims)}, hashtext(of_kind));

    SELECT number INTO result FROM claim WHERE kind = of_kind AND holder = by;
    IF result IS NOT NULL THEN RETURN result; END IF;

    SELECT coalesce(max(number), 0) + 1 INTO result FROM claim WHERE kind = of_kind AND owner = '';
    INSERT INTO claim (kind, key, owner, number, holder) VALUES (of_kind, result::text, '', result, by);
    RETURN result;
  END $$`;

export class CreateBase1700000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const statements = [LEASE, CLAIM, CLAIM_BY_NUMBER, CLAIM_BY_HOLDER, CLAIM_BY_EXPIRY, CLAIM_SLOT, CLAIM_NEXT];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
