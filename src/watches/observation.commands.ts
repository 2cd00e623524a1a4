import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../platform/commands/context.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { type ProbeOrigin, recordProbes } from './uptime/uptime.decider.ts';
import { type AcceptedProbe, observe, type RecentProbes } from './uptime/recent-probes.ts';
import { type Uptime, uptimeTarget } from './uptime/uptime.state.ts';
import { type CertificateLook, certificateTarget, type LookOrigin, recordLook } from './certificate/certificate.decider.ts';
import { recordRedirect, type RedirectAnswer, type RedirectOrigin, redirectTarget } from './redirect/redirect.decider.ts';
import { closeDay, daysTarget } from './days/days.decider.ts';
import type { DayBooks } from './days/days.events.ts';

export interface RecordedProbes {
  readonly uptime: Uptime;
  readonly changed: boolean;
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
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, recent, probes, origin, catchingUp }: RecordProbes): Promise<RecordedProbes> {
    const { state, events, result } = await this.runner.run(
      uptimeTarget(origin.projectId),
      context,
      (uptime) => recordProbes(uptime, recent, probes, origin, catchingUp),
      { isContinual: !catchingUp },
    );
    return { uptime: state, changed: events.length > 0, recent: result ?? probes.reduce(observe, recent) };
  }
}

/** Whether a look at a site changed anything. */
interface RecordedLook {
  readonly changed: boolean;
}

/** Decides what a look at the certificate of a project changes. */
export class RecordCertificateLook extends Command<RecordedLook> {
  constructor(
    readonly context: CommandContext,
    readonly look: CertificateLook,
    readonly origin: LookOrigin,
  ) {
    super();
  }
}

@CommandHandler(RecordCertificateLook)
export class RecordCertificateLookHandler implements ICommandHandler<RecordCertificateLook> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, look, origin }: RecordCertificateLook): Promise<RecordedLook> {
    const { events } = await this.runner.run(certificateTarget(origin.projectId), context, (state) => recordLook(state, look, origin));
    return { changed: events.length > 0 };
  }
}

/** Decides what a look at the http version of a project changes. */
export class RecordRedirect extends Command<RecordedLook> {
  constructor(
    readonly context: CommandContext,
    readonly answer: RedirectAnswer,
    readonly origin: RedirectOrigin,
  ) {
    super();
  }
}

@CommandHandler(RecordRedirect)
export class RecordRedirectHandler implements ICommandHandler<RecordRedirect> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, answer, origin }: RecordRedirect): Promise<RecordedLook> {
    const { events } = await this.runner.run(redirectTarget(origin.projectId), context, (state) => recordRedirect(state, answer, origin));
    return { changed: events.length > 0 };
  }
}

export class CloseDay extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly books: DayBooks,
  ) {
    super();
  }
}

@CommandHandler(CloseDay)
export class CloseDayHandler implements ICommandHandler<CloseDay> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, projectId, books }: CloseDay): Promise<void> {
    await this.runner.run(daysTarget(projectId, books.uptime.day), context, (state) => closeDay(state, books));
  }
}
