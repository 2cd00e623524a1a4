import { expect, it } from '@jest/globals';
import { dial, OpenResources } from './connections.ts';

class CountingResources extends OpenResources {
  added = 0;

  override add<T extends { destroy(): unknown }>(resource: T): T {
    this.added++;
    return super.add(resource);
  }
}

it('dials at most ten addresses of a name', async () => {
  const resources = new CountingResources();
  const addresses = Array.from({ length: 1_000 }, (_, nth) => `127.0.${String(nth >> 8)}.${String(nth & 255)}`);
  // Port 9 is that of the discard service, which does not run in test environments.
  expect(await dial(addresses, 9, resources)).toMatchObject({ kind: 'failed', reason: 'the connection was refused' });
  resources.closeAll();
  expect(resources.added).toBe(10);
});
