import type { Schemas } from '../../client.ts';
import { service } from '../service/service.ts';

type Destination = Schemas['Destination'];

/** What is asked of a destination, wherever it belongs. */
export interface DestinationCalls {
  readonly list: (signal: AbortSignal) => Promise<readonly Destination[]>;
  readonly parked: (did: string, signal: AbortSignal) => Promise<readonly Schemas['ParkedScope'][]>;
  readonly pause: (did: string) => Promise<unknown>;
  readonly resume: (did: string) => Promise<unknown>;
  readonly test: (did: string) => Promise<Schemas['DestinationTest']>;
  /** Pushes again what was recorded from this position on. */
  readonly replay: (did: string, from: string) => Promise<unknown>;
}

export const ofInstallation: DestinationCalls = {
  list: (signal) => service.list('/destinations', { signal }).all(),
  parked: (did, signal) => service.list('/destinations/{did}/parked', { path: { did }, signal }).all(),
  pause: (did) => service.post('/destinations/{did}/pause', { path: { did } }),
  resume: (did) => service.post('/destinations/{did}/resume', { path: { did } }),
  test: async (did) => (await service.post('/destinations/{did}/test', { path: { did } })).data,
  replay: (did, from) => service.post('/destinations/{did}/replay', { path: { did }, body: { from } }),
};

export const ofProject = (id: string): DestinationCalls => ({
  list: (signal) => service.list('/project/{id}/destinations', { path: { id }, signal }).all(),
  parked: (did, signal) => service.list('/project/{id}/destinations/{did}/parked', { path: { id, did }, signal }).all(),
  pause: (did) => service.post('/project/{id}/destinations/{did}/pause', { path: { id, did } }),
  resume: (did) => service.post('/project/{id}/destinations/{did}/resume', { path: { id, did } }),
  test: async (did) => (await service.post('/project/{id}/destinations/{did}/test', { path: { id, did } })).data,
  replay: (did, from) => service.post('/project/{id}/destinations/{did}/replay', { path: { id, did }, body: { from } }),
});
