/** Bugs as somebody could write them: what stands in the file, and what stands there instead. */
export const mutants = [
  {
    name: 'a turn that was missed is not made up',
    file: 'src/checker/take-over.ts',
    find: 'this.makeUp(checker, projectIds, lastRuns);',
    put: 'void lastRuns;',
  },
  {
    name: 'a turn that was missed is made up as often as it was missed',
    file: 'src/checker/schedule/timetable.ts',
    find: 'due: nextTurn(first.recurring, now), recurring',
    put: 'due: first.due + first.recurring.periodMs, recurring',
  },
  {
    name: 'trouble of our own is not tried again',
    file: 'src/checker/check-turns.ts',
    find: "if (ran.kind === 'own' && again !== null)",
    put: "if (ran.kind === 'lost' && again !== null)",
  },
  {
    name: 'an open job is not taken over',
    file: 'src/checker/take-over.ts',
    find: 'where: { open: { in: projectIds } } })) startJob(checker, row);',
    put: 'where: { open: { in: [] } } })) startJob(checker, row);',
  },
  {
    name: 'a job is given up although somebody gets on with it',
    file: 'src/ops/job-sweep.ts',
    find: 'export const GIVEN_UP_AFTER_MS = 3600_000;',
    put: 'export const GIVEN_UP_AFTER_MS = 0;',
  },
  {
    name: 'the same start twice makes two jobs',
    file: 'src/commands/job/running-job.ts',
    find: "if (state === 'requested') return holder;",
    put: "if (state === 'requested') return null;",
  },
  {
    name: 'a notifier that begins anew begins at now',
    file: 'src/reactors/notifier/notifier.ts',
    find: "ON CONFLICT DO NOTHING', [await log.head()]",
    put: "ON CONFLICT (singleton) DO UPDATE SET n = excluded.n', [await log.head()]",
  },
  {
    name: 'a message is carried twice',
    file: 'src/reactors/sender/sender.ts',
    find: 'const outcome = await parcel.carry(address, () => signal.aborted);',
    put: 'await parcel.carry(address, () => signal.aborted);\n    const outcome = await parcel.carry(address, () => signal.aborted);',
  },
  {
    name: 'the recovery of a check is told to nobody',
    file: 'src/reactors/notifier/turn.ts',
    find: "return { kind: 'recovery', ...ofCheck(event, checkId), facts };",
    put: "return facts.status === 'ok' ? null : { kind: 'recovery', ...ofCheck(event, checkId), facts };",
  },
  {
    name: 'a site that goes down is told to nobody',
    file: 'src/reactors/notifier/turn.ts',
    find: "if (before === 'unknown') return null;",
    put: "if (before === 'unknown' || before === 'up') return null;",
  },
];
