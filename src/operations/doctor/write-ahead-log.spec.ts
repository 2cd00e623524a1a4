import { describe, expect, it } from '@jest/globals';
import { walDiagnosis } from './write-ahead-log.ts';

const defaults = { bytesPerSecond: 200 * 1024, checkpointSeconds: 300, maxWalMb: 1024, compression: 'off' };

describe('the advice about the write-ahead log', () => {
  it('names the settings that are at their defaults, where much is written', () => {
    const advice = expect.stringMatching(/^checkpoint_timeout = '30min', max_wal_size = '16GB', wal_compression = on write less/);
    expect(walDiagnosis(defaults)).toMatchObject({ state: 'warn', found: expect.stringContaining('200 KiB/s'), advice });
    const one = walDiagnosis({ ...defaults, checkpointSeconds: 1800, maxWalMb: 16384 });
    expect(one).toMatchObject({ state: 'warn', advice: expect.stringMatching(/^wal_compression = on write less/) });
  });

  it('is silent where little is written, and where the settings are made', () => {
    expect(walDiagnosis({ ...defaults, bytesPerSecond: 10_000 })).toMatchObject({ state: 'ok' });
    expect(walDiagnosis({ ...defaults, checkpointSeconds: 3600, maxWalMb: 65536, compression: 'lz4' })).toMatchObject({ state: 'ok' });
  });
});
