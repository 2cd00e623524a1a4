import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ProbeOrigin, recordProbe } from '../../domain/uptime/decisions.ts';
import type { AcceptedProbe, RecentProbes } from '../../domain/uptime/recent-probes.ts';
import { type Uptime, uptimeTarget } from '../../domain/uptime/uptime.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

/** What an accepted probe means for the verdict. `recent` are the accepted ones before it. Answers how the site stands now. */
export class RecordProbe extends Command<Uptime> {
  constructor(
    readonly context: CommandContext,
    readonly recent: RecentProbes,
    readonly probe: AcceptedProbe,
    readonly origin: ProbeOrigin,
  ) {
    super();
  }
}

@CommandHandler(RecordProbe)
export class RecordProbeHandler implements ICommandHandler<RecordProbe> {
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, recent, probe, origin }: RecordProbe): Promise<Uptime> {
    const target = uptimeTarget(origin.projectId);
    const { state } = await this.handling.change(target, await this.inChain(context, origin), (uptime) =>
      recordProbe(uptime, recent, probe, origin),
    );
    return state;
  }

  /** A confirming probe goes on with the chain of the suspicion; any other begins its own. */
  private async inChain(context: CommandContext, origin: ProbeOrigin): Promise<CommandContext> {
    if (!origin.confirming || context.chain !== null) return context;
    const { suspicion } = await this.handling.read(uptimeTarget(origin.projectId));
    return suspicion?.chain == null ? context : { ...context, chain: suspicion.chain };
  }
}
