import { Module } from '@nestjs/common';
import { ChangeCheckHandler } from './change-check.command.ts';

/** Asked for over HTTP, and by the checker, which names what has no name yet: in an instance that does both it is one handler. */
@Module({ providers: [ChangeCheckHandler] })
export class ChangeCheckModule {}
