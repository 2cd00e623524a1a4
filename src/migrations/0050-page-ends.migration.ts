import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the passing runs of a check show about the end of its page (docs/spec/decisions.md#T20). `ends`: each of them ended with `</html>`; null is unknown, and
 * fails nothing. `requested`: the hash of what was requested, for which alone that holds.
 */
export class NotePageEnds1700000050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE latest_run ADD COLUMN requested bytea, ADD COLUMN ends boolean');
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
