import { ADVISORY_LOCKS } from '../advisory-locks.ts';

export const POSTGRES_TABLES = `
  -- Leader leases; epoch is the fencing token. (name, epoch) is unique so that a takeover changes a key and a heartbeat does not: writers that lock their
  -- epoch FOR KEY SHARE block takeovers but not heartbeats. The fill factor keeps heartbeats out of the indexes (HOT updates).
  CREATE TABLE lease (
    name          text        PRIMARY KEY,
    holder        text,
    epoch         bigint      NOT NULL,
    heartbeat     timestamptz NOT NULL,
    pid           int         NOT NULL,
    backend_start timestamptz,
    UNIQUE (name, epoch)
  ) WITH (fillfactor = 50);

  -- Unique claims across streams. expires is null for a permanent claim; number is set for numbered slots of an owner and for assigned integers.
  CREATE TABLE claim (
    kind    text        NOT NULL,
    key     text        NOT NULL,
    owner   text,
    number  bigint,
    holder  text        NOT NULL,
    expires timestamptz,
    PRIMARY KEY (kind, key)
  );
  CREATE UNIQUE INDEX claim_by_number ON claim (kind, owner, number) WHERE number IS NOT NULL;
  CREATE INDEX claim_by_holder ON claim (kind, holder);
  CREATE INDEX claim_by_expiry ON claim (expires) WHERE expires IS NOT NULL;

  -- How many slots of a kind an owner has taken, and the highest number given. Triggers keep it equal to the rows of claim, whatever changes those.
  CREATE TABLE slot_count (
    kind  text   NOT NULL,
    owner text   NOT NULL,
    taken bigint NOT NULL,
    last  bigint NOT NULL,
    PRIMARY KEY (kind, owner)
  ) WITH (fillfactor = 50);

  -- Integers of claim_next have the owner ''. Counters are locked in one order, so that two deletions of slots of several owners cannot deadlock.
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
  END $$;
  CREATE TRIGGER count_claimed AFTER INSERT ON claim REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_slots();
  CREATE TRIGGER count_released AFTER DELETE ON claim REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_slots();

  -- Costs the same however many slots there are. The owner's counter is the lock of its slots; numbers are not reused. No row of claim is waited for while it
  -- is held: a release holds its row and then waits for the counter.
  CREATE FUNCTION claim_slot(of_kind text, of_owner text, bound int, by text, seconds float8) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
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
  END $$;

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
  END $$;

  -- Answers to requests with an Idempotency-Key. first_used_after: where the log ended at the first use of the key: what the write appended comes after it.
  -- Null where that is not known.
  CREATE TABLE idempotency (
    key              uuid        PRIMARY KEY,
    generation       integer     NOT NULL DEFAULT 1,
    request_hash     text        NOT NULL,
    begun_at         timestamptz NOT NULL DEFAULT now(),
    status           smallint,
    content_type     text,
    body             text,
    first_used_after text
  );
  CREATE INDEX idempotency_by_age ON idempotency (begun_at);
  -- From when on the table knows every key (src/platform/http/idempotency/idempotency-store.ts).
  INSERT INTO idempotency (key, request_hash, begun_at) VALUES ('00000000-0000-0000-0000-000000000000', '', '-infinity');

  -- The channel of wake-ups: with a name that a team does not know, its SQL cannot send any.
  CREATE TABLE wake_channel (name text PRIMARY KEY);
  INSERT INTO wake_channel VALUES ('watchledger_' || replace(gen_random_uuid()::text, '-', ''));

  -- One row, written to find out whether writes go through again after one has failed (src/platform/postgres/write-probe.ts).
  CREATE TABLE write_probe (written_at timestamptz NOT NULL DEFAULT now());
`;
