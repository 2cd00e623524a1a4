import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { accessesTarget, countAccesses, recordAccess } from './access.decider.ts';
import type { Events } from '../../events.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';

/** Records that a token or session read the record, at the first read of a day. */
export class RecordAccess extends CommandOf<{ access: Events['RecordAccessed'] }> {}

@CommandHandler(RecordAccess)
export class RecordAccessHandler implements ICommandHandler<RecordAccess> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { access } }: RecordAccess): Promise<void> {
    await this.runner.run(accessesTarget(access), context, (state) => recordAccess(state, access));
  }
}

/** Records how many reads a past day had. */
export class CountAccesses extends CommandOf<{ counted: Events['RecordAccessesCounted'] }> {}

@CommandHandler(CountAccesses)
export class CountAccessesHandler implements ICommandHandler<CountAccesses> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { counted } }: CountAccesses): Promise<void> {
    await this.runner.run(accessesTarget(counted), context, (state) => countAccesses(state, counted));
  }
}
