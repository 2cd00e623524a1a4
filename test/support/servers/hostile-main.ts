import { hostileRoot, hostileSites } from './hostile.ts';

/** The message of a process of hostile servers when all of them listen. The process ends with its parent. */
export interface HostileProcess {
  readonly root: string;
  readonly urls: Readonly<Record<string, string>>;
}

const urls: Record<string, string> = {};
for (const [hostility, start] of Object.entries(hostileSites)) urls[hostility] = (await start()).url;
process.send?.({ root: hostileRoot, urls } satisfies HostileProcess);
process.once('disconnect', () => process.exit());
