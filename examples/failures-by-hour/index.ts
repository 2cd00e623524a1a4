import type { TeamPackage } from 'watchledger/projection';
import { FailuresByHourModule } from './failures-by-hour.module.ts';
import failuresByHour from './failures-by-hour.projection.ts';

/** What `PROJECTIONS=./examples/failures-by-hour` loads. */
export default { projections: [failuresByHour], module: FailuresByHourModule } satisfies TeamPackage;
