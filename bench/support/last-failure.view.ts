import { defineView } from 'watchledger/projection';

interface Last {
  readonly since: string;
  readonly httpStatus: number | null;
  readonly times: number;
}

/** One document per check: its last failure and their number. */
export default defineView<Last>()({
  name: 'last_failure',
  version: 1,
  scope: 'project',
  key: ({ data }) => data.checkId,
  on: {
    CheckFailed: (row, { data }) => ({ since: data.since, httpStatus: data.evidence.httpStatus, times: (row?.times ?? 0) + 1 }),
  },
});
