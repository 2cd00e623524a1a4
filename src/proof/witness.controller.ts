import { Controller, Get, Header, HttpCode, Post, Body, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LogWitness } from './witness/log-witness.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { openRight } from '../accounts/rights/right.ts';

const TEXT = 'text/plain; charset=utf-8';
/** The content type of a size in C2SP tlog-witness. */
const SIZE = 'text/x.tlog.size';

/** This installation as a witness of other logs (docs/spec/beyond.md#B5). Requests are authenticated by the signature in the checkpoint alone. */
@Controller('witness')
export class WitnessController {
  constructor(private readonly witness: LogWitness) {}

  @Get('key')
  @Needs(openRight)
  @Header('content-type', TEXT)
  async key(): Promise<string> {
    return `${await this.witness.verifierKey()}\n`;
  }

  @Post('add-checkpoint')
  @Needs(openRight)
  @HttpCode(200)
  async addCheckpoint(@Body() body: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const answer = await this.witness.addCheckpoint(typeof body === 'string' ? body : '');
    const [status, type, text] =
      answer.kind === 'cosigned' ? ([200, TEXT, answer.cosignatures] as const) : ([409, SIZE, `${String(answer.size)}\n`] as const);
    void reply.status(status).header('content-type', type);
    return text;
  }
}
