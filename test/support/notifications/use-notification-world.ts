import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { NotificationWorld } from './notification-world.ts';

/** One database for the tests of a file, and a new world before each of them. */
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
