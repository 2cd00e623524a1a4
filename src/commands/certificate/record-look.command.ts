import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CertificateLook, certificateTarget, type LookOrigin, recordLook } from '../../domain/certificate/certificate.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** What a look at a project's certificate means. */
export class RecordCertificateLook extends Command<void> {
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
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, look, origin }: RecordCertificateLook): Promise<void> {
    await this.runner.run(certificateTarget(origin.projectId), context, (state) => recordLook(state, look, origin));
  }
}
