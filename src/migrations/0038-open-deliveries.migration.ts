import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The few messages of a user that wait or failed, among the many that were delivered: `GET /account/deliveries?status=`. */
const OPEN_DELIVERIES = `
  CREATE INDEX notification_message_open_of_user ON notification_message (user_id, created_at DESC) WHERE state <> 'delivered'`;

export class IndexOpenDeliveries1700000038000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OPEN_DELIVERIES);
  }

  async down(): Promise<void> {
    await Promise.reject(new Error('migrations are forward only'));
  }
}
