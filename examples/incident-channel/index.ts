import type { TeamPackage } from 'watchledger/projection';
import incidentChannel from './incident-channel.reactor.ts';

/** What `PROJECTIONS=./examples/incident-channel` loads. */
export default { reactors: [incidentChannel] } satisfies TeamPackage;
