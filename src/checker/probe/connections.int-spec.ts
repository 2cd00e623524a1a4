import { expect, it } from '@jest/globals';
import { dial, OpenResources } from './connections.ts';

class Counted extends OpenResources {
  added = 0;

  override add<T extends { destroy(): unknown }>(thing: T): T {
    this.added++;
    return super.add(thing);
  }
}

it('dials a few of the addresses of a name, however many it has', async () => {
  const resources = new Counted();
  const addresses = Array.from({ length: 1_000 }, (_, nth) => `127.0.${String(nth >> 8)}.${String(nth & 255)}`);
  // Port 9 discards what it is sent where somebody listens at all; here nobody does.
  expect(await dial(addresses, 9, resources)).toMatchObject({ kind: 'failed', reason: 'the connection was refused' });
  resources.closeAll();
  expect(resources.added).toBe(10);
});
