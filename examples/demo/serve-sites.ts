import { join } from 'node:path';
import { MINUTE } from './happening.ts';
import { type Fault, openSites } from './sites.ts';
import { present, sites } from './story.ts';

/** Something goes wrong now and then, so that there is something to see. */
const EVERY = 45 * MINUTE;
const LASTS = 12 * MINUTE;

const faults = new Map<string, Fault>([[present.path, present.fault]]);
setTimeout(() => faults.delete(present.path), LASTS);
/** As fast as in the past. */
const delayOf = (path: string): number => {
  const { milliseconds } = Object.values(sites).find((site) => path.startsWith(site.path)) ?? sites.docs;
  return milliseconds * (0.9 + 0.3 * Math.random());
};
await openSites(join(process.env['DATA_DIR'] ?? '', 'sites'), faults, delayOf);
const troubles: readonly (readonly [path: string, fault: Fault])[] = [
  ['/shop/shoes', 'no price'],
  ['/api/health', 'degraded'],
  ['/blog/', 'no database'],
];
let turn = 0;
setInterval(() => {
  const trouble = troubles[turn++ % troubles.length];
  if (trouble === undefined) return;
  faults.set(...trouble);
  setTimeout(() => faults.delete(trouble[0]), LASTS);
}, EVERY);
