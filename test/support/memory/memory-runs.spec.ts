import { LEASE, runStoreContract } from '../../../src/platform/observations/runs/runs.contract.ts';
import { MemoryRuns } from './memory-runs.ts';

runStoreContract(() => Promise.resolve(new MemoryRuns(({ name, epoch }) => name === LEASE && epoch === 1)));
