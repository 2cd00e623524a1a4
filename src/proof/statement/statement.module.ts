import { Module } from '@nestjs/common';
import { FindIssuedStatementHandler, IssueStatementHandler } from './statement.commands.ts';

/** The commands of statements. */
@Module({
  providers: [FindIssuedStatementHandler, IssueStatementHandler],
})
export class StatementModule {}
