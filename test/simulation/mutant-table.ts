/** Of every simulation with a mutant. */
export const SEED = 20260101;

/** A mutant: a line of a file and what replaces it. */
export interface Mutant {
  readonly name: string;
  /** A simulation of so many days is known to find it. */
  readonly days: number;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly put: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: 'a missed occurrence is not made up for',
    days: 8,
    file: 'src/checker/checks/shard-handover.ts',
    find: 'this.scheduleMissed(projectIds, lastRuns);',
    put: 'void lastRuns;',
  },
  {
    name: 'an inconclusive run is not repeated',
    days: 2,
    file: 'src/checker/checks/check-turns.ts',
    find: "if ((run.kind === 'inconclusive' || run.kind === 'postponed') && jobId === null)",
    put: "if (run.kind === 'postponed' && jobId === null)",
  },
  {
    name: 'an open job is not taken over by the new owner',
    days: 2,
    file: 'src/checker/checks/shard-handover.ts',
    find: 'await views.list(jobView, { where: { open: { in: projectIds } },',
    put: 'await views.list(jobView, { where: { open: { in: [] } },',
  },
  {
    name: 'a job is abandoned although it makes progress',
    days: 6,
    file: 'src/operations/abandoned-work/abandoned-jobs.ts',
    find: 'const ABANDONED_AFTER_MS = 3600_000;',
    put: 'const ABANDONED_AFTER_MS = 0;',
  },
  {
    name: 'two identical starts make two jobs',
    days: 2,
    file: 'src/checker/jobs/job.commands.ts',
    find: "if (state === 'requested') return holder;",
    put: "if (state === 'requested') return null;",
  },
  {
    name: 'a restarted notification process starts at the head of the log',
    days: 4,
    file: 'src/platform/consumers/log-consumer.ts',
    find: 'const { n } = await store.open(name, () => log.head());',
    put: 'await store.open(name, () => log.head());\n    const n = await log.head();\n    await store.moveTo(name, n);',
  },
  {
    name: 'a message is sent twice',
    days: 2,
    file: 'src/alerts/sender/delivery-worker.ts',
    find: 'const outcome = await message.send({ ...address, traceparent }, () => signal.aborted);',
    put: 'await message.send({ ...address, traceparent }, () => signal.aborted);\n    const outcome = await message.send({ ...address, traceparent }, () => signal.aborted);',
  },
  {
    name: 'the recovery of a check sends no alert',
    days: 2,
    file: 'src/alerts/process/alert-effect.ts',
    find: "return { kind: 'recovery', ...ofCheck(event, checkId), facts };",
    put: "return facts.status === 'ok' ? null : { kind: 'recovery', ...ofCheck(event, checkId), facts };",
  },
  {
    name: 'a site that goes down sends no alert',
    days: 2,
    file: 'src/alerts/process/alert-effect.ts',
    find: "if (before === 'unknown') return null;",
    put: "if (before === 'unknown' || before === 'up') return null;",
  },
  {
    name: 'two runs of one check overlap',
    days: 2,
    file: 'src/checker/runs/run-recorder.ts',
    find: '.runExclusive(task.checkId, () => this.execute(task, onFetched))',
    put: '.runExclusive(`${task.checkId} ${String(Math.random())}`, () => this.execute(task, onFetched))',
  },
  {
    name: 'a job without progress is never abandoned',
    days: 6,
    file: 'src/operations/abandoned-work/abandoned-jobs.ts',
    find: 'if (Math.max(...instants, -Infinity) > now - this.patience.afterMs) return false;',
    put: 'return false;',
  },
  {
    name: 'an unconfirmed failure counts and notifies',
    days: 2,
    file: 'src/checker/verdicts/verdict.decider.ts',
    find: 'if (confirmsRun(recent, run) && recent.series !== null)',
    put: "if (suspicion === null && open === null)\n    return [{ type: 'CheckFailed', data: { checkId, since: evidence.at, failing, confirmed: true, evidence } }];\n  if (confirmsRun(recent, run) && recent.series !== null)",
  },
  {
    name: 'a check that fails from its first run notifies',
    days: 2,
    file: 'src/alerts/process/alert-effect.ts',
    find: 'if (!confirmed) return ended(`check ${checkId}`);',
    put: 'void confirmed;',
  },
  {
    name: 'one failing probe means the site is down',
    days: 2,
    file: 'src/watches/uptime/uptime.decider.ts',
    find: 'const before = confirms(recent, probe) ? recent.previous : null;',
    put: "const before = recent.previous?.outcome === 'up' ? recent.previous : null;",
  },
  {
    name: 'a sample holds ten times too long',
    days: 4,
    file: 'src/platform/observations/samples/timing.ts',
    find: 'sample.periodSeconds * 2000;',
    put: 'sample.periodSeconds * 20_000;',
  },
  {
    name: 'a suspicion is confirmed only by the next scheduled run',
    days: 4,
    file: 'src/checker/checks/check-turns.ts',
    find: "if (run.kind === 'recorded' && run.needsConfirmation)",
    put: "if (run.kind === 'leaseLost')",
  },
  {
    name: 'a day is closed without samples extending into it from the day before',
    days: 4,
    file: 'src/watches/days/day-books.ts',
    find: 'from: startOfDay(day) - REACH,',
    put: 'from: startOfDay(day),',
  },
  {
    name: 'maintenance is not excluded from the report',
    days: 8,
    file: 'src/platform/observations/samples/report.ts',
    find: 'for (const hole of within(excluded, part)) {',
    put: 'for (const hole of within(excluded.slice(1), part)) {',
  },
  {
    name: 'maintenance does not mute notifications',
    days: 11,
    file: 'src/alerts/sender/delivery-rules.ts',
    find: 'return first !== undefined && first.from <= now ? first.to : null;',
    put: 'return first !== undefined && first.from > now ? first.to : null;',
  },
  {
    name: 'an expiring certificate notifies at every check',
    days: 2,
    file: 'src/watches/certificate/certificate.decider.ts',
    find: 'if (problem !== null || already !== undefined || !isSoon(',
    put: 'if (problem !== null || !isSoon(',
  },
  {
    name: 'an expiring certificate notifies a week late',
    days: 2,
    file: 'src/watches/certificate/certificate-status.ts',
    find: 'daysLeft(validTo, now) <= alertPeriod;',
    put: 'daysLeft(validTo, now) <= alertPeriod - 7;',
  },
  {
    name: 'a broken redirect sends no alert',
    days: 2,
    file: 'src/alerts/process/alert-effect.ts',
    find: "if (before === null || before === 'failed') return null;",
    put: 'if (before !== null) return null;',
  },
  {
    name: 'the week of a report ends at midnight UTC',
    days: 6,
    file: 'src/alerts/reports/week.ts',
    find: 'const zone = account.timezone;',
    put: "const zone = account.timezone === '' ? '' : 'UTC';",
  },
  {
    name: 'a checker with a wrong clock keeps its shards',
    days: 2,
    file: 'src/checker/shards/shard-keeper.ts',
    find: 'share: peersAt === null ? 0 :',
    put: 'share: peersAt === null ? shards.length :',
  },
  {
    name: 'a check that was due during a handover is not made up for',
    days: 8,
    file: 'src/watches/turns/site-look.ts',
    find: 'last?.url !== url || last.at < lastOccurrence(recurrence, now);',
    put: 'last?.url !== url || lastOccurrence(recurrence, now) > now;',
  },
  {
    name: "the start of a certificate's alert period is forgotten in a handover",
    days: 8,
    file: 'src/watches/turns/certificate-watch.ts',
    find: '    this.scheduleTurningPoint(watched);\n    const lastTurningPoint =',
    put: '    const lastTurningPoint =',
  },
  {
    name: 'the fence of a shard is raised before its lease is held',
    days: 2,
    file: 'src/checker/shards/shard-keeper.ts',
    find: 'const lease = await this.options.leases.acquire(shard);',
    put: 'await this.options.raiseFence({ name: shard, epoch: Number.MAX_SAFE_INTEGER } as Lease);\n    const lease = await this.options.leases.acquire(shard);',
  },
  {
    name: 'a shard is read before its fence is raised',
    days: 2,
    file: 'src/checker/shards/shard-keeper.ts',
    find: 'await this.options.raiseFence(lease);',
    put: 'void this.options.pause(this.closing.signal).then(() => this.options.raiseFence(lease)).catch(() => undefined);',
  },
  {
    name: 'a compaction writes without comparing what it read',
    days: 2,
    file: 'src/platform/observations/packs/pack-compactor.ts',
    find: 'if (unchanged !== read) throw new Overtaken();',
    put: 'void [unchanged, read];',
  },
  {
    name: 'all accounts wait in one queue, first in, first out',
    days: 6,
    file: 'src/kernel/concurrency-limit.ts',
    find: 'queue.push(account, { source,',
    put: 'queue.push(undefined, { source,',
  },
  {
    name: 'an account may take all permits',
    days: 6,
    file: 'src/kernel/concurrency-limit.ts',
    find: "if (this.shares !== 'permits and queue' || account === undefined) return true;",
    put: 'return true;',
  },
  {
    name: 'a check is begun although its verdict would be refused',
    days: 15,
    file: 'src/checker/schedule/admission.ts',
    find: 'isOpen && this.decisionRate.mayStart(now)',
    put: 'this.decisionRate.mayStart(now)',
  },
];
