import { Global, Module } from '@nestjs/common';
import type pg from 'pg';
import { CHECKER_OBSERVATION_DATABASE, OBSERVATION_DATABASE } from '../platform/postgres/pool.ts';
import { ClosedBooks } from '../platform/observations/closed-days/closed-books.ts';
import { ExchangeStore } from '../platform/observations/exchanges/exchange-store.ts';
import { FormHtmlStore } from '../platform/observations/forms/form-html-store.ts';
import { InspectionStore } from '../platform/observations/inspections/inspection-store.ts';
import { KeptAnswers } from '../platform/observations/pages/kept-answers.ts';
import { PAGE_BODIES, type PageBodies } from '../platform/observations/pages/page-bodies.ts';
import { KeptPages } from '../platform/observations/pages/kept-pages.ts';
import { PostgresRuns } from '../platform/observations/runs/postgres-runs.ts';
import { CHECKER_RUN_STORE, RunStore } from '../platform/observations/runs/run-store.ts';
import { PostgresSamples } from '../platform/observations/samples/postgres-samples.ts';
import { SummarizedHours } from '../platform/observations/samples/summarized-hours.ts';
import { CHECKER_SAMPLE_STORE, SampleStore } from '../platform/observations/samples/sample-store.ts';

const providers = [
  { provide: SampleStore, useFactory: (pool: pg.Pool) => new PostgresSamples(pool), inject: [OBSERVATION_DATABASE] },
  { provide: RunStore, useFactory: (pool: pg.Pool) => new PostgresRuns(pool), inject: [OBSERVATION_DATABASE] },
  { provide: CHECKER_SAMPLE_STORE, useFactory: (pool: pg.Pool) => new PostgresSamples(pool), inject: [CHECKER_OBSERVATION_DATABASE] },
  { provide: CHECKER_RUN_STORE, useFactory: (pool: pg.Pool) => new PostgresRuns(pool), inject: [CHECKER_OBSERVATION_DATABASE] },
  { provide: FormHtmlStore, useFactory: (pool: pg.Pool) => new FormHtmlStore(pool), inject: [OBSERVATION_DATABASE] },
  { provide: InspectionStore, useFactory: (pool: pg.Pool) => new InspectionStore(pool), inject: [OBSERVATION_DATABASE] },
  {
    provide: ExchangeStore,
    useFactory: (pool: pg.Pool, bodies: PageBodies | null) => new ExchangeStore(pool, bodies),
    inject: [OBSERVATION_DATABASE, PAGE_BODIES],
  },
  {
    provide: KeptAnswers,
    useFactory: (pool: pg.Pool, bodies: PageBodies | null) => new KeptAnswers(pool, bodies),
    inject: [OBSERVATION_DATABASE, PAGE_BODIES],
  },
  {
    provide: KeptPages,
    useFactory: (pool: pg.Pool, bodies: PageBodies | null) => new KeptPages(pool, bodies),
    inject: [OBSERVATION_DATABASE, PAGE_BODIES],
  },
  { provide: SummarizedHours, useFactory: (pool: pg.Pool) => new SummarizedHours(pool), inject: [OBSERVATION_DATABASE] },
  { provide: ClosedBooks, useFactory: (pool: pg.Pool) => new ClosedBooks(pool), inject: [OBSERVATION_DATABASE] },
];

/** The stores of measurements, for queries, the checker and the process managers. */
@Global()
@Module({ providers, exports: providers.map(({ provide }) => provide) })
export class ObservationsModule {}
