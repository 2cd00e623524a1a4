import type { Decider } from '../kernel/decider.ts';
import type { EventOf } from '../kernel/event.ts';
import type { SystemEvents } from './system.events.ts';

type SystemEvent = EventOf<SystemEvents>;
type Skipped = SystemEvents['ProjectionEventSkipped'];

/** Skipped events, the position alone for every fold, with a projection and its version for that one; disowned keys of the seal; witnesses. */
type PassedOver = ReadonlySet<string>;

const forAll = ({ n }: { readonly n: number }): string => String(n);
const ofKey = ({ key }: SystemEvents['SealKeyDisowned']): string => `key ${key}`;
const ofPeer = ({ url }: { readonly url: string }): string => `witness ${url}`;
const forOne = ({ n, projection, version }: Skipped): string => `${String(n)} ${projection} ${String(version)}`;

const system: Decider<PassedOver, SystemEvent> = {
  initial: new Set(),
  evolve: (passed, event) => {
    if (event.type === 'EventVoided') return new Set(passed).add(forAll(event.data));
    if (event.type === 'SealKeyDisowned') return new Set(passed).add(ofKey(event.data));
    if (event.type === 'WitnessPeerAdded') return new Set(passed).add(ofPeer(event.data));
    if (event.type === 'WitnessPeerRemoved') {
      const { url } = event.data;
      return new Set([...passed].filter((one) => one !== ofPeer({ url })));
    }
    return event.type === 'ProjectionEventSkipped' ? new Set(passed).add(forOne(event.data)) : passed;
  },
};

/** Operations on the log itself, in one stream. */
export const systemTarget = { stream: 'system', scope: 'system', decider: system } as const;

/** Voided once. */
export const voidEvent = (passed: PassedOver, data: SystemEvents['EventVoided']): readonly SystemEvent[] =>
  passed.has(forAll(data)) ? [] : [{ type: 'EventVoided', data }];

/** Skipped once, and not if the event is voided for all. */
export const skipForProjection = (passed: PassedOver, data: Skipped): readonly SystemEvent[] =>
  passed.has(forAll(data)) || passed.has(forOne(data)) ? [] : [{ type: 'ProjectionEventSkipped', data }];

export const disownSealKey = (passed: PassedOver, data: SystemEvents['SealKeyDisowned']): readonly SystemEvent[] =>
  passed.has(ofKey(data)) ? [] : [{ type: 'SealKeyDisowned', data }];

export const declareTruncated = (data: SystemEvents['LogTruncated']): readonly SystemEvent[] => [{ type: 'LogTruncated', data }];

/** Added again, its keys are replaced. */
export const addWitnessPeer = (data: SystemEvents['WitnessPeerAdded']): readonly SystemEvent[] => [{ type: 'WitnessPeerAdded', data }];

export const removeWitnessPeer = (passed: PassedOver, data: SystemEvents['WitnessPeerRemoved']): readonly SystemEvent[] =>
  passed.has(ofPeer(data)) ? [{ type: 'WitnessPeerRemoved', data }] : [];
