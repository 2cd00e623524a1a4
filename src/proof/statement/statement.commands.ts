import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import type { StatementEvents } from './statement.events.ts';
import { type IssuedEdition, issueStatement, statementsTarget } from './statement.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';

/** Answers the latest edition, which is another one where another instance was first. */
export class IssueStatement extends CommandOf<{ statement: StatementEvents['StatementIssued'] }, IssuedEdition | null> {}

@CommandHandler(IssueStatement)
export class IssueStatementHandler implements ICommandHandler<IssueStatement> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { statement } }: IssueStatement): Promise<IssuedEdition | null> {
    const { state } = await this.runner.run(statementsTarget(statement.projectId), context, (issued) => issueStatement(issued, statement));
    return state.get(statement.month) ?? null;
  }
}

/** Reads the latest edition from its stream, which is ahead of the log on some engines; writes nothing. */
export class FindIssuedStatement extends Command<IssuedEdition | null> {
  constructor(
    readonly projectId: string,
    readonly month: string,
  ) {
    super();
  }
}

@CommandHandler(FindIssuedStatement)
export class FindIssuedStatementHandler implements ICommandHandler<FindIssuedStatement> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ projectId, month }: FindIssuedStatement): Promise<IssuedEdition | null> {
    return (await this.runner.read(statementsTarget(projectId))).get(month) ?? null;
  }
}
