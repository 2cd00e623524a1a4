import type { Command } from '@nestjs/cqrs';
import pg from 'pg';
import { openParts, type Parts } from '../../src/app/parts.ts';
import { openResources } from '../../src/app/resources.ts';
import { type CommandContext, systemContext } from '../../src/platform/commands/context.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { DATABASE_NAME } from '../../src/operations/embedded-postgres/credentials.ts';
import { EmbeddedDatabase } from '../../src/operations/embedded-postgres/embedded-database.ts';
import type { Actor } from '../../src/kernel/event.ts';
import { migrate } from '../../src/app/migration-table.ts';
import { viewLifecycle } from '../../src/platform/read-models/views/view-lifecycle.ts';
import { createLogger } from '../../src/platform/telemetry/logging/logger.ts';
import { Past } from './past.ts';

/** Until the history is there, commits do not wait for the disk: a fill that was interrupted begins anew. */
async function alterDatabase(url: string, change: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER DATABASE ${DATABASE_NAME} ${change}`);
  await client.end();
}

/** The service without its API and its checker, in the past. */
export class Installation {
  private constructor(
    readonly parts: Parts,
    readonly databaseUrl: string,
    readonly past: Past,
    readonly close: () => Promise<void>,
  ) {}

  static async open(at: number): Promise<Installation> {
    const config = loadConfig(process.env, process.cwd());
    const logger = await createLogger(config, 'stderr');
    const database = await EmbeddedDatabase.start({ dataDir: config.dataDir });
    await migrate(database.url);
    await alterDatabase(database.url, 'SET synchronous_commit = off');
    const parts = await openParts(config, await openResources(config, database.url, logger));
    const { unit, log, viewPool: db, wake, readYourWrites } = parts;
    const stop = new AbortController();
    const report = (error: unknown): void => {
      logger.error({ err: error }, 'the read models could not be written');
    };
    const views = viewLifecycle({ unit, log, db, wake, readYourWrites, report }).run(stop.signal);
    await readYourWrites.start();
    const past = await Past.begin(parts.pool, at);
    return new Installation(parts, database.url, past, async () => {
      await past.end();
      stop.abort();
      await views;
      await readYourWrites.close();
      await parts.close();
      await alterDatabase(database.url, 'RESET synchronous_commit');
      await database.stop();
    });
  }

  /** A command of now, which is an instant of the past. */
  execute<Result>(command: Command<Result>): Promise<Result> {
    return this.parts.commands.execute(command);
  }

  context(actor: Actor, given: Partial<Pick<CommandContext, 'commandId' | 'recordAppend'>> = {}): CommandContext {
    return systemContext(actor, Date.now(), given);
  }

  /** Resolves once the read models show everything that was written. */
  async isVisible(): Promise<void> {
    const head = await this.parts.log.head();
    while (this.parts.readYourWrites.position() < head) await new Promise((again) => setTimeout(again, 5));
  }
}
