import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { CheckerLog } from './checker-log.ts';

let late: object[];
beforeEach(() => {
  late = [];
  const nothing = (): void => undefined;
  Logger.overrideLogger({ log: nothing, error: nothing, warn: (entry: object) => late.push(entry) } satisfies LoggerService);
});
afterAll(() => {
  Logger.overrideLogger(true);
});

it('warns of a turn that started late, once a second and kind', () => {
  const log = new CheckerLog();
  log.started('uptime', 4_000);
  for (const lateMs of [6_000, 7_000]) log.started('uptime', lateMs);
  log.started('area', 8_000);
  expect(late).toMatchObject([
    { kind: 'uptime', lateMs: 6_000 },
    { kind: 'area', lateMs: 8_000 },
  ]);
});

it('warns of a look, which waits behind everything else, after minutes only', () => {
  const log = new CheckerLog();
  for (const kind of ['homepage', 'certificate', 'redirect', 'again'] as const) log.started(kind, 300_000);
  log.started('homepage', 700_000);
  expect(late).toMatchObject([{ kind: 'homepage', lateMs: 700_000 }]);
});
