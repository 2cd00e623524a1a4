import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Row-level security: the database role of a team's projection sees only the checkpoints and parked events of the schemas that it owns. The owner of the tables, the service, sees all. */
export class IsolateTeamRoles1700000066000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['projection', 'projection_parked']) {
      await runner.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
      await runner.query(
        `CREATE POLICY own_schemas ON ${table}
           USING (schema IN (SELECT nspname FROM pg_namespace WHERE pg_get_userbyid(nspowner) = current_user))`,
      );
    }
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
