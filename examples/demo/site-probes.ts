import { noise } from '../../bench/support/site-samples.ts';
import type { AcceptedProbe } from '../../src/watches/uptime/recent-probes.ts';
import { utcDay } from '../../src/platform/observations/closed-days/day-intervals.codec.ts';
import type { Sample } from '../../src/platform/observations/samples/sample.ts';
import { type Books, booksOf, neededFor } from '../../src/watches/days/day-books.ts';
import { DAY, HOUR } from './happening.ts';
import type { Outage } from './outages.ts';

const PERIOD_SECONDS = 60;
/** The checker looks a second time before it says that a site is down. */
const CONFIRMS_AFTER = 15_000;
export const LOCATION = 'eu';

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

/** A probe that the checker decides on. */
export interface DecidedProbe {
  readonly at: number;
  readonly probe: AcceptedProbe;
  /** The one before, where no other was decided on since. */
  readonly before: AcceptedProbe | null;
  readonly confirming: boolean;
}

export interface DayOfSite {
  readonly projectId: string;
  /** Of the day before, unless the site was not yet watched. */
  readonly books: Books | null;
  readonly decided: readonly DecidedProbe[];
}

/** The probes of one site, a day at a time, and what follows from them. */
export class SiteProbes {
  private readonly random: () => number;
  private before: readonly Sample[] = [];
  private today: readonly Sample[] = [];
  private isUp: boolean | null = null;

  constructor(private readonly site: WatchedSite) {
    this.random = noise(site.seed);
  }

  /** A UTC day until an instant. Days are asked for in order. */
  day(start: number, until: number): DayOfSite & { readonly samples: readonly Sample[] } {
    const { projectId } = this.site;
    const yesterday = this.today;
    const samples = this.samplesOf(start, Math.min(start + DAY, until));
    const books = yesterday.length === 0 ? null : this.booksOf(start - DAY, [...this.before, ...yesterday, ...samples]);
    [this.before, this.today] = [yesterday, samples];
    return { projectId, books, samples, decided: this.decidedOf(samples, yesterday.at(-1)) };
  }

  private booksOf(start: number, samples: readonly Sample[]): Books {
    const day = utcDay(start);
    const { from, to } = neededFor(day);
    return booksOf(
      this.site.projectId,
      day,
      samples.filter(({ at }) => at >= from && at < to),
    );
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
  private decidedOf(samples: readonly Sample[], last: Sample | undefined): readonly DecidedProbe[] {
    const decided: DecidedProbe[] = [];
    let confirming = false;
    for (const [index, sample] of samples.entries()) {
      const isUp = sample.outcome === 'up';
      if (isUp !== this.isUp || confirming) {
        const isFirst: boolean = this.isUp !== false && !isUp;
        const before = isFirst ? (samples[index - 1] ?? last) : undefined;
        decided.push({
          at: sample.at + Math.ceil(sample.total),
          probe: this.accepted(sample),
          before: before === undefined ? null : this.accepted(before),
          confirming,
        });
        confirming = isFirst;
      }
      this.isUp = isUp;
    }
    return decided;
  }

  private accepted({ at, outcome, periodSeconds, httpStatus, reason, total }: Sample): AcceptedProbe {
    const status = httpStatus === 0 ? null : httpStatus;
    const evidence = {
      ...{ url: this.site.url, at: new Date(at).toISOString(), location: LOCATION, outcome, reason },
      ...{ httpStatus: status, milliseconds: Math.round(total) },
    };
    return { at, outcome, periodSeconds, evidence };
  }
}
