import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sampleAt } from '../../../../test/support/observations/sample.ts';
import { deflatePack } from '../codec/bytes.ts';
import { inTimeOrder, type Sample } from './sample.ts';
import { packSamples, unpackOutcomes, unpackSamples } from './sample.codec.ts';

const sample = (changes: Partial<Sample> = {}): Sample => sampleAt(Date.UTC(2026, 0, 1), { periodSeconds: 15, ...changes });

const milliseconds = fc.integer({ min: 0, max: 600_000 }).map((tenths) => tenths / 10);
const anySample: fc.Arbitrary<Sample> = fc.record({
  at: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  outcome: fc.constantFrom('up', 'down', 'timeout'),
  periodSeconds: fc.constantFrom(15, 30, 60),
  httpStatus: fc.constantFrom(0, 200, 301, 503, 999),
  reason: fc.constantFrom(null, 'connection refused', 'certificate has expired ✗'),
  dns: milliseconds,
  connect: milliseconds,
  tls: milliseconds,
  request: milliseconds,
  waiting: milliseconds,
  download: milliseconds,
  total: milliseconds,
});
const lateSample = fc
  .tuple(anySample, fc.integer({ min: 21, max: 5_999 }))
  .map(([one, tenths]) => ({ ...one, recordedAt: one.at + tenths * 100 }));

describe('packed samples', () => {
  it('round-trip exactly', () => {
    fc.assert(
      fc.property(fc.array(anySample, { maxLength: 50, size: 'max' }), (samples) => {
        expect(unpackSamples(packSamples(samples))).toEqual(samples);
      }),
    );
  });

  it('keep when they were recorded, if that was late', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anySample, lateSample), { maxLength: 50, size: 'max' }), (samples) => {
        const packed = packSamples(samples);
        expect(unpackSamples(packed)).toEqual(samples);
        expect(unpackOutcomes(packed).map(({ recordedAt }) => recordedAt)).toEqual(samples.map(({ recordedAt }: Sample) => recordedAt));
      }),
    );
  });

  it('keep times to a tenth of a millisecond, never negative', () => {
    expect(unpackSamples(packSamples([sample({ dns: 1.26, total: 3.04, connect: -1 })]))).toEqual([
      sample({ dns: 1.3, connect: 0, total: 3 }),
    ]);
  });

  it('take few bytes for an ordinary hour', () => {
    let seed = 11;
    const noise = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const samples = Array.from({ length: 240 }, (_, index) => {
      const [dns, connect, tls, waiting, download] = [noise() * 2, 20 + noise() * 5, 25 + noise() * 6, 80 + noise() * 60, 5 + noise() * 10];
      return sample({
        at: Date.UTC(2026, 0, 1) + index * 15_000 + Math.floor(noise() * 3),
        dns,
        connect,
        tls,
        request: 0.1,
        waiting,
        download,
        total: dns + connect + tls + waiting + download + 0.1,
      });
    });
    expect(deflatePack(packSamples(samples)).length / 240).toBeLessThan(9);
  });

  it('are refused when truncated', () => {
    const packed = packSamples([sample({ reason: 'x' }), sample({ at: 5 })]);
    for (let length = 0; length < packed.length; length++) expect(() => unpackSamples(packed.subarray(0, length))).toThrow(RangeError);
  });
});

it('sorts samples by time and keeps the one accepted later of two at one instant', () => {
  const [first, second, third] = [sample({ at: 5 }), sample({ at: 3 }), sample({ at: 5, outcome: 'down' })];
  expect(inTimeOrder([first, second, third])).toEqual([second, third]);
});
