import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
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
export class RecordProbes extends CommandOf<
  {
    /** The accepted probes before them. */
    recent: RecentProbes;
    probes: readonly AcceptedProbe[];
    origin: ProbeOrigin;
    /** Some may be decided already; only those after the last decision count. */
    catchingUp?: boolean;
  },
  RecordedProbes
> {}

@CommandHandler(RecordProbes)
export class RecordProbesHandler implements ICommandHandler<RecordProbes> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { recent, probes, origin, catchingUp = false } }: RecordProbes): Promise<RecordedProbes> {
    const { state, events, result } = await this.runner.run(
      uptimeTarget(origin.projectId),
      context,
      (uptime) => recordProbes(uptime, recent, probes, origin, catchingUp),
      { isContinual: !catchingUp },
    );
    return { uptime: state, changed: events.length > 0, recent: result ?? probes.reduce(observe, recent) };
  }
}

/** Whether an inspection of a site changed anything. */
interface RecordedLook {
  readonly changed: boolean;
}

/** Decides what an inspection of the certificate of a project changes. */
export class RecordCertificateLook extends CommandOf<{ look: CertificateLook; origin: LookOrigin }, RecordedLook> {}

@CommandHandler(RecordCertificateLook)
export class RecordCertificateLookHandler implements ICommandHandler<RecordCertificateLook> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { look, origin } }: RecordCertificateLook): Promise<RecordedLook> {
    const { events } = await this.runner.run(certificateTarget(origin.projectId), context, (state) => recordLook(state, look, origin));
    return { changed: events.length > 0 };
  }
}

/** Decides what an inspection of the http version of a project changes. */
export class RecordRedirect extends CommandOf<{ answer: RedirectAnswer; origin: RedirectOrigin }, RecordedLook> {}

@CommandHandler(RecordRedirect)
export class RecordRedirectHandler implements ICommandHandler<RecordRedirect> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { answer, origin } }: RecordRedirect): Promise<RecordedLook> {
    const { events } = await this.runner.run(redirectTarget(origin.projectId), context, (state) => recordRedirect(state, answer, origin));
    return { changed: events.length > 0 };
  }
}

export class CloseDay extends CommandOf<{ projectId: string; books: DayBooks }> {}

@CommandHandler(CloseDay)
export class CloseDayHandler implements ICommandHandler<CloseDay> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, books } }: CloseDay): Promise<void> {
    await this.runner.run(daysTarget(projectId, books.uptime.day), context, (state) => closeDay(state, books));
  }
}
