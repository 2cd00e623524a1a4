import { LEASE, sampleStoreContract } from '../../../src/observations/samples/samples.contract.ts';
import { MemorySamples } from './memory-samples.ts';

sampleStoreContract(() => Promise.resolve(new MemorySamples(({ name, epoch }) => name === LEASE && epoch === 1)));
