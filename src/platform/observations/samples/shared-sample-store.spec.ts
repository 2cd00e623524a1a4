import { describe, expect, it } from '@jest/globals';
import { sampleAt } from '../../../../test/support/observations/sample.ts';
import type { Sample } from './sample.ts';
import { SharedSampleStore } from './shared-sample-store.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const PROJECT = '0123456789abcdef01234567';
const at = (minutes: number): number => NOON + minutes * 60_000;

function shared(): { readonly samples: SharedSampleStore; readonly reads: (readonly [number, number])[] } {
  const reads: (readonly [number, number])[] = [];
  const between = (_project: string, from: number, to: number): Promise<readonly Sample[]> => {
    reads.push([from, to]);
    const all = Array.from({ length: 240 }, (_, minute) => sampleAt(at(minute)));
    return Promise.resolve(all.filter((sample) => sample.at >= from && sample.at < to));
  };
  return { samples: new SharedSampleStore({ between }), reads };
}

const minutesOf = (samples: readonly { readonly at: number }[]): readonly number[] => samples.map((sample) => (sample.at - NOON) / 60_000);

describe('SharedSampleStore', () => {
  it('answers readers of about the same span from one read, whichever asks first', async () => {
    for (const order of [0, 1]) {
      const { samples, reads } = shared();
      const uptime = (): Promise<readonly unknown[]> => samples.outcomes(PROJECT, at(-4), at(64));
      const responses = (): Promise<readonly unknown[]> => samples.between(PROJECT, at(0), at(60));
      const asked = order === 0 ? [uptime(), responses()] : [responses(), uptime()];
      expect((await Promise.all(asked)).map(({ length }) => length).toSorted((one, other) => one - other)).toEqual([60, 64]);
      expect(reads).toHaveLength(1);
    }
  });

  it('reads again what the first read does not hold', async () => {
    const { samples, reads } = shared();
    expect(minutesOf(await samples.between(PROJECT, at(60), at(62)))).toEqual([60, 61]);
    expect(minutesOf(await samples.between(PROJECT, at(0), at(3)))).toEqual([0, 1, 2]);
    expect(await samples.between(PROJECT, at(3), at(3))).toEqual([]);
    expect(reads).toHaveLength(2);
  });
});
