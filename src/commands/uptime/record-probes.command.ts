import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ProbeOrigin, recordProbes } from '../../domain/uptime/decisions.ts';
import { type AcceptedProbe, observe, type RecentProbes } from '../../domain/uptime/recent-probes.ts';
import { type Uptime, uptimeTarget } from '../../domain/uptime/uptime.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export interface RecordedProbes {
  readonly uptime: Uptime;
  /** The recent probes, with these. */
  readonly recent: RecentProbes;
}

/** Decides what accepted probes change about the uptime of a project. */
export class RecordProbes extends Command<RecordedProbes> {
  constructor(
    readonly context: CommandContext,
    /** The accepted probes before them. */
    readonly recent: RecentProbes,
    readonly probes: readonly AcceptedProbe[],
    readonly origin: ProbeOrigin,
    /** Some may be decided already; only those after the last decision count. */
    readonly catchingUp = false,
  ) {
    super();
  }
}

@CommandHandler(RecordProbes)
export class RecordProbesHandler implements ICommandHandler<RecordProbes> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, recent, probes, origin, catchingUp }: RecordProbes): Promise<RecordedProbes> {
    const { state, result } = await this.runner.run(uptimeTarget(origin.projectId), context, (uptime) =>
      recordProbes(uptime, recent, probes, origin, catchingUp),
    );
    return { uptime: state, recent: result ?? probes.reduce(observe, recent) };
  }
}
