import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { NotificationWorld } from './notification-world.ts';

/** A database for the tests of a file, and before each of them a world of its own. */
export function useNotificationWorld(enter: (world: NotificationWorld) => void): void {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    enter(await NotificationWorld.open(database.pool));
  });
}
