import { ADVISORY_LOCKS } from '../platform/postgres/advisory-locks.ts';

export const CHECKER_TABLES = `
  -- A version with another number of shards divides the projects of a location otherwise, so that a project could have an owner in each numbering. A location
  -- is held in one numbering at a time: the lease of a shard cannot be acquired while a live process holds one of another numbering there (checker eu 3/128
  -- against checker eu 3/64). During a rolling upgrade, or on the way back, the other version takes over when the last checker of the former one has ended.
  CREATE FUNCTION refuse_other_shard_numbering() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    of_location text := 'checker ' || split_part(NEW.name, ' ', 2) || ' ';
    count_of text := split_part(NEW.name, '/', 2);
  BEGIN
    -- A check and an acquisition of the other numbering cannot overlap. Each statement sees what committed before it.
    PERFORM pg_advisory_xact_lock(${String(ADVISORY_LOCKS.shardNumbering)}, hashtext(of_location));
    IF EXISTS (
      SELECT FROM lease l WHERE starts_with(l.name, of_location) AND split_part(l.name, '/', 2) <> count_of AND l.holder IS NOT NULL
      AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = l.pid AND a.backend_start = l.backend_start)
    ) THEN
      RETURN NULL;
    END IF;
    RETURN NEW;
  END $$;

  CREATE TRIGGER shard_numbering_inserted BEFORE INSERT ON lease
  FOR EACH ROW WHEN (NEW.holder IS NOT NULL AND NEW.name LIKE 'checker %') EXECUTE FUNCTION refuse_other_shard_numbering();
  CREATE TRIGGER shard_numbering_updated BEFORE UPDATE OF holder ON lease
  FOR EACH ROW WHEN (NEW.holder IS NOT NULL AND NEW.name LIKE 'checker %') EXECUTE FUNCTION refuse_other_shard_numbering();
`;
