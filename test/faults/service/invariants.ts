import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { watchledgerIn } from '../../support/command-line.ts';

const PATIENCE_MS = 120_000;

export interface Promised {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** By project, in order. */
  readonly acknowledged: ReadonlyMap<string, readonly string[]>;
  /** What has arrived by now. */
  readonly messages: () => ReadonlySet<string>;
}

/** What holds whatever happened: throws at the first that does not. */
export async function hold(promised: Promised): Promise<void> {
  const acknowledged = new Map([...promised.acknowledged].map(([id, titles]) => [id, [...titles]]));
  const client = await connected(promised.url);
  try {
    await nothingLostOrTwice(client, acknowledged);
    await whole(client);
    await everybodyTold(client, promised.messages);
  } finally {
    await client.end();
  }
  await says(promised, ['replay', '--json'], 'a read model is not what the log says');
  await says(promised, ['verify', '--json'], 'the seal does not verify');
}

async function nothingLostOrTwice(client: pg.Client, acknowledged: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const { rows } = await client.query<{ stream: string; title: string; times: number }>(
    `SELECT stream, data::json ->> 'to' AS title, count(*)::int AS times FROM log
     WHERE type = 'ProjectRenamed' AND stream = ANY($1) GROUP BY 1, 2`,
    [[...acknowledged.keys()].map((id) => `project-${id}`)],
  );
  const twice = rows.filter(({ times }) => times > 1);
  if (twice.length > 0) throw new Error(`written twice: ${JSON.stringify(twice.slice(0, 5))}`);
  const there = new Set(rows.map(({ stream, title }) => `${stream} ${title}`));
  const lost = [...acknowledged].flatMap(([id, titles]) => titles.filter((title) => !there.has(`project-${id} ${title}`)));
  if (lost.length > 0) throw new Error(`acknowledged and lost: ${lost.slice(0, 5).join(', ')}`);
}

async function whole(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT * FROM (
       SELECT n, stream, revision, row_number() OVER (ORDER BY n) - 1 AS place, row_number() OVER (PARTITION BY stream ORDER BY n) - 1 AS step,
         lag(recorded_at) OVER (ORDER BY n) >= recorded_at AS backward FROM log) AS l
     WHERE n <> place OR revision <> step OR backward LIMIT 5`,
  );
  if (rows.length > 0) throw new Error(`a gap, a repeat or a step back: ${JSON.stringify(rows)}`);
}

/** A message that is noted as delivered has arrived. */
async function everybodyTold(client: pg.Client, messages: () => ReadonlySet<string>): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT data::json ->> 'messageId' AS id FROM log WHERE type = 'NotificationDelivered' AND data::json ->> 'channel' = 'webhook'`,
  );
  const arrived = messages();
  const unheard = rows.filter(({ id }) => !arrived.has(id));
  if (unheard.length > 0) throw new Error(`noted as delivered, and never came: ${JSON.stringify(unheard.slice(0, 5))}`);
}

async function says({ url, env, folder }: Promised, command: readonly string[], problem: string): Promise<void> {
  const { status, out, err } = await watchledgerIn(folder, { DATABASE_URL: url, ...env }, ...command).ran;
  if (status !== 0) throw new Error(`${problem}: ${(out + err).slice(0, 2_000)}`);
}

async function connected(url: string): Promise<pg.Client> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
