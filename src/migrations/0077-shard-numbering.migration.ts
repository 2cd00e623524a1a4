import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS } from '../persistence/advisory-locks.ts';

/**
 * The projects of a location are divided into 64 shards by other bits than into the 16 before, so a project could have an owner in each numbering. A location
 * is held in one numbering at a time: the lease of a shard cannot be acquired while a live process holds one of the other numbering there (`checker eu 3`
 * against `checker eu 3/64`). During a rolling upgrade, or on the way back, the other version takes over when the last checker of the former one has ended.
 */
const REFUSE = `
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
  END $$`;

const trigger = (event: string): string => `
  CREATE TRIGGER shard_numbering_${event === 'INSERT' ? 'inserted' : 'updated'} BEFORE ${event} ON lease
  FOR EACH ROW WHEN (NEW.holder IS NOT NULL AND NEW.name LIKE 'checker %') EXECUTE FUNCTION refuse_other_shard_numbering()`;

export class GuardShardNumbering1700000077000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [REFUSE, trigger('INSERT'), trigger('UPDATE OF holder')]) await runner.query(statement);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
