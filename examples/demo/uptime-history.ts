import { noise } from '../../bench/support/site-samples.ts';
import { CloseDay, RecordProbes } from '../../src/commands/observation.commands.ts';
import { type AcceptedProbe, noRecentProbes, observe, type RecentProbes } from '../../src/domain/uptime/recent-probes.ts';
import { ClosedBooks } from '../../src/observations/closed-days/closed-books.ts';
import { utcDay } from '../../src/observations/closed-days/day-intervals.codec.ts';
import { PackCompactor } from '../../src/observations/packs/pack-compactor.ts';
import { sampleKind } from '../../src/observations/samples/postgres-samples.ts';
import type { Sample } from '../../src/observations/samples/sample.ts';
import { booksOf, neededFor } from '../../src/processes/day-closing/day-books.ts';
import { DAY, type Happening, HOUR, MINUTE } from './happening.ts';
import type { Installation } from './installation.ts';
import type { Outage } from './outages.ts';

const PERIOD_SECONDS = 60;
/** The checker looks a second time before it says that a site is down. */
const CONFIRMS_AFTER = 15_000;
const LOCATION = 'eu';
/** Days of samples in one transaction. */
const WRITTEN_DAYS = 10;

export interface WatchedSite {
  readonly projectId: string;
  readonly url: string;
  readonly isHttps: boolean;
  /** Of a usual answer, at night. */
  readonly milliseconds: number;
  readonly seed: number;
  /** The first probe. */
  readonly from: number;
  readonly outages: readonly Outage[];
}

/** The probes of one site, a day at a time: samples, the decisions that they lead to, and the closing of each day. */
export class UptimeHistory {
  private readonly random: () => number;
  private readonly compactor: PackCompactor<Sample>;
  private readonly books: ClosedBooks;
  private readonly unwritten: (readonly Sample[])[] = [];
  private before: readonly Sample[] = [];
  private today: readonly Sample[] = [];
  private isUp: boolean | null = null;
  private recent: RecentProbes = noRecentProbes;

  constructor(
    private readonly installation: Installation,
    private readonly site: WatchedSite,
    /** Samples of earlier days are past their retention: only their closed days are kept. */
    private readonly keptFrom: number,
  ) {
    const { pool } = installation.parts;
    this.random = noise(site.seed);
    this.compactor = new PackCompactor(pool, sampleKind);
    this.books = new ClosedBooks(pool);
  }

  /** The events of a UTC day until an instant. Days are asked for in order. */
  async day(start: number, until: number): Promise<readonly Happening[]> {
    const yesterday = this.today;
    const samples = this.samplesOf(start, Math.min(start + DAY, until));
    const closed = this.closingOf(start - DAY, [...this.before, ...yesterday, ...samples]);
    [this.before, this.today] = [yesterday, samples];
    if (start >= this.keptFrom) this.unwritten.push(samples);
    if (this.unwritten.length >= WRITTEN_DAYS) await this.write();
    const closing = yesterday.length === 0 ? [] : [{ at: start + 20 * MINUTE, act: closed }];
    return [...closing.filter(({ at }) => at < until), ...this.decisionsOf(samples, yesterday.at(-1))];
  }

  /** Stores the samples that are kept. */
  async write(): Promise<void> {
    await this.compactor.write(this.site.projectId, this.unwritten.splice(0).flat());
  }

  private samplesOf(start: number, end: number): readonly Sample[] {
    const { site } = this;
    const samples: Sample[] = [];
    let confirmed: Outage | undefined;
    for (let at = start + (site.seed % PERIOD_SECONDS) * 1_000; at < end; at += PERIOD_SECONDS * 1_000) {
      if (at < site.from) continue;
      const outage = this.outageAt(at);
      samples.push(this.sample(at, outage));
      if (outage === undefined || outage === confirmed) continue;
      confirmed = outage;
      if (at + CONFIRMS_AFTER < end) samples.push(this.sample(at + CONFIRMS_AFTER, this.outageAt(at + CONFIRMS_AFTER)));
    }
    return samples;
  }

  private outageAt = (at: number): Outage | undefined => this.site.outages.find(({ from, to }) => at >= from && at < to);

  private sample(at: number, outage: Outage | undefined): Sample {
    const { random, site } = this;
    // Busiest in the early afternoon.
    const load = 1 + 0.45 * Math.max(0, Math.sin(((at % DAY) / HOUR - 7) * (Math.PI / 13)));
    const slow = random() < 0.006 ? random() * 900 : 0;
    const [dns, connect, tls] = [random() < 0.1 ? random() * 15 : random(), 6 + random() * 4, site.isHttps ? 9 + random() * 6 : 0];
    const waiting = outage?.outcome === 'timeout' ? 3_000 - connect : site.milliseconds * load * (0.85 + 0.3 * random()) + slow;
    const download = outage === undefined ? 1 + random() * 6 : 0;
    return {
      at: at + Math.floor(random() * random() * 9),
      outcome: outage?.outcome ?? 'up',
      periodSeconds: PERIOD_SECONDS,
      httpStatus: outage?.httpStatus ?? 200,
      reason: outage?.reason ?? null,
      ...{ dns, connect, tls, request: 0.2, waiting, download },
      total: dns + connect + tls + 0.2 + waiting + download,
    };
  }

  /** Most probes change nothing; those around a change are decided on as the checker does it. */
  private decisionsOf(samples: readonly Sample[], last: Sample | undefined): readonly Happening[] {
    const happenings: Happening[] = [];
    let isConfirming = false;
    for (const [index, sample] of samples.entries()) {
      const isUp = sample.outcome === 'up';
      if (isUp !== this.isUp || isConfirming) {
        const before = samples[index - 1] ?? last;
        const confirming = isConfirming;
        const isFirst: boolean = this.isUp !== false && !isUp;
        happenings.push({
          at: sample.at + Math.ceil(sample.total),
          act: () => this.decide(sample, confirming, isFirst ? before : undefined),
        });
        isConfirming = isFirst;
      }
      this.isUp = isUp;
    }
    return happenings;
  }

  private async decide(sample: Sample, confirming: boolean, before: Sample | undefined): Promise<void> {
    const { projectId } = this.site;
    if (before !== undefined) this.recent = observe(noRecentProbes, this.accepted(before));
    const context = this.installation.context({ kind: 'checker', id: LOCATION });
    const probes = [this.accepted(sample)];
    const { recent } = await this.installation.execute(new RecordProbes(context, this.recent, probes, { projectId, confirming }));
    this.recent = recent;
  }

  private accepted({ at, outcome, periodSeconds, httpStatus, reason, total }: Sample): AcceptedProbe {
    const status = httpStatus === 0 ? null : httpStatus;
    const evidence = {
      ...{ url: this.site.url, at: new Date(at).toISOString(), location: LOCATION, outcome, reason },
      ...{ httpStatus: status, milliseconds: Math.round(total) },
    };
    return { at, outcome, periodSeconds, evidence };
  }

  private closingOf(start: number, samples: readonly Sample[]): () => Promise<void> {
    const { projectId } = this.site;
    const day = utcDay(start);
    const { from, to } = neededFor(day);
    return async () => {
      const { uptime, responseTimes, sketched } = booksOf(
        projectId,
        day,
        samples.filter(({ at }) => at >= from && at < to),
      );
      const context = this.installation.context({ kind: 'reactor', id: 'day-closing' });
      await this.installation.execute(new CloseDay(context, projectId, { uptime, responseTimes }));
      await this.books.mark(day, [{ projectId, sha256: uptime.sha256, buckets: sketched }]);
    };
  }
}
