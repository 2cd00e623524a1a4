import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ProbeOrigin, recordProbes } from '../../domain/uptime/decisions.ts';
import type { AcceptedProbe, RecentProbes } from '../../domain/uptime/recent-probes.ts';
import { type Uptime, uptimeTarget } from '../../domain/uptime/uptime.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** What accepted probes mean for the verdict. `recent` are the accepted ones before them. Answers how the site stands now. */
export class RecordProbes extends Command<Uptime> {
  constructor(
    readonly context: CommandContext,
    readonly recent: RecentProbes,
    readonly probes: readonly AcceptedProbe[],
    readonly origin: ProbeOrigin,
    /** They may have been decided before: only what came after the last decision counts. */
    readonly catchingUp = false,
  ) {
    super();
  }
}

@CommandHandler(RecordProbes)
export class RecordProbesHandler implements ICommandHandler<RecordProbes> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, recent, probes, origin, catchingUp }: RecordProbes): Promise<Uptime> {
    const target = uptimeTarget(origin.projectId);
    const chained = await this.inChain(context, origin);
    const { state } = await this.runner.run(target, chained, (uptime) => recordProbes(uptime, recent, probes, origin, catchingUp));
    return state;
  }

  /** A confirming probe goes on with the chain of the suspicion; any other begins its own. */
  private async inChain(context: CommandContext, origin: ProbeOrigin): Promise<CommandContext> {
    if (!origin.confirming || context.chain !== null) return context;
    const { suspicion } = await this.runner.read(uptimeTarget(origin.projectId));
    return suspicion?.chain == null ? context : { ...context, chain: suspicion.chain };
  }
}
