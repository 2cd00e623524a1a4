import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many slots of a kind an owner has taken, and the highest number given. Triggers keep it equal to the rows of `claim`, whatever changes those. */
const SLOT_COUNT = `
  CREATE TABLE slot_count (
    kind  text   NOT NULL,
    owner text   NOT NULL,
    taken bigint NOT NULL,
    last  bigint NOT NULL,
    PRIMARY KEY (kind, owner)
  ) WITH (fillfactor = 50)`;

/** Integers of \`claim_next\` have the owner ''. Counters are locked in one order, so that two deletions of slots of several owners cannot deadlock. */
const COUNT_SLOTS = `
  CREATE FUNCTION count_slots() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO slot_count AS known (kind, owner, taken, last)
      SELECT kind, owner, count(*), max(number) FROM changed WHERE owner <> '' GROUP BY kind, owner ORDER BY kind, owner
      ON CONFLICT (kind, owner) DO UPDATE SET taken = known.taken + excluded.taken, last = greatest(known.last, excluded.last);
    ELSE
      PERFORM FROM slot_count c WHERE (c.kind, c.owner) IN (SELECT kind, owner FROM changed WHERE owner <> '') ORDER BY c.kind, c.owner FOR UPDATE;
      UPDATE slot_count c SET taken = c.taken - freed.slots
      FROM (SELECT kind, owner, count(*) AS slots FROM changed WHERE owner <> '' GROUP BY kind, owner) AS freed
      WHERE c.kind = freed.kind AND c.owner = freed.owner;
    END IF;
    RETURN NULL;
  END $$`;

const ON_CLAIM = `
  CREATE TRIGGER count_claimed AFTER INSERT ON claim REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_slots()`;
const ON_RELEASE = `
  CREATE TRIGGER count_released AFTER DELETE ON claim REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_slots()`;

/** \`CREATE TRIGGER\` holds off writers until the migration commits, so nothing is missed or counted twice. */
const COUNT_EXISTING = `
  INSERT INTO slot_count (kind, owner, taken, last)
  SELECT kind, owner, count(*), max(number) FROM claim WHERE owner <> '' GROUP BY kind, owner`;

/**
 * Costs the same however many slots there are. The owner's counter is the lock of its slots; numbers are not reused. No row of \`claim\` is waited for
 * while it is held: a release holds its row and then waits for the counter.
 */
const CLAIM_SLOT = `
  CREATE OR REPLACE FUNCTION claim_slot(of_kind text, of_owner text, bound int, by text, seconds float8) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    until timestamptz := clock_timestamp() + seconds * interval '1 second';
    result text;
    counted slot_count;
  BEGIN
    UPDATE claim SET expires = CASE WHEN expires IS NOT NULL THEN until END
    WHERE kind = of_kind AND owner = of_owner AND holder = by
    RETURNING key INTO result;
    IF result IS NOT NULL THEN RETURN result; END IF;

    SELECT * INTO counted FROM slot_count WHERE kind = of_kind AND owner = of_owner FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO slot_count (kind, owner, taken, last) VALUES (of_kind, of_owner, 0, 0) ON CONFLICT DO NOTHING;
      SELECT * INTO counted FROM slot_count WHERE kind = of_kind AND owner = of_owner FOR UPDATE;
    END IF;

    -- The same holder may have claimed it while this waited for the counter.
    SELECT key INTO result FROM claim WHERE kind = of_kind AND owner = of_owner AND holder = by;
    IF result IS NOT NULL THEN RETURN result; END IF;
    -- Slots above a lowered bound still count.
    IF counted.taken >= bound THEN RETURN NULL; END IF;

    INSERT INTO claim (kind, key, owner, number, holder, expires)
    VALUES (of_kind, of_owner || '/' || (counted.last + 1), of_owner, counted.last + 1, by, until)
    RETURNING key INTO result;
    RETURN result;
  END $$`;

export class CountSlots1700000032000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [SLOT_COUNT, COUNT_SLOTS, ON_CLAIM, ON_RELEASE, COUNT_EXISTING, CLAIM_SLOT]) await runner.query(statement);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
