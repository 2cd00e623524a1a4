import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { closeDay, daysTarget } from '../../domain/days/days.ts';
import type { DayBooks } from '../../domain/days/days.events.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

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
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, books }: CloseDay): Promise<void> {
    await this.runner.run(daysTarget(projectId, books.uptime.day), context, (state) => closeDay(state, books));
  }
}
