import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import type { ImportedDays } from './imported-uptime.events.ts';
import { importedUptime, importUptime, removeImportedUptime } from './imported-uptime.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { inOpenProject } from '../../projects/project-stream.ts';

const run = inOpenProject(importedUptime);

/** `days`: what another product measured; null: it is removed. */
export class SetImportedUptime extends CommandOf<{ projectId: string; days: ImportedDays | null }> {}

@CommandHandler(SetImportedUptime)
export class SetImportedUptimeHandler implements ICommandHandler<SetImportedUptime> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, days } }: SetImportedUptime): Promise<void> {
    await run(this.runner, projectId, context, (today) =>
      days === null ? removeImportedUptime(today) : importUptime(today, days, Date.parse(context.occurredAt)),
    );
  }
}
