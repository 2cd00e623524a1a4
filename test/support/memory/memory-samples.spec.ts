import { LEASES, sampleStoreContract } from '../../../src/platform/observations/samples/samples.contract.ts';
import { MemorySamples } from './memory-samples.ts';

sampleStoreContract(() => Promise.resolve(new MemorySamples(({ name, epoch }) => LEASES.includes(name) && epoch === 1)));
