import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';

/** The key in the public link of a badge: nobody can guess it, and each publishing has its own. */
@Injectable()
export class BadgeLinks {
  constructor(@Inject(SECRETS) private readonly secrets: Secrets) {}

  async keyOf(projectId: string, serial: number): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    return createHmac('sha256', secret)
      .update(`badge ${projectId} ${String(serial)}`)
      .digest('hex')
      .slice(0, 32);
  }

  async opens(key: unknown, projectId: string, serial: number): Promise<boolean> {
    const [given, right] = [Buffer.from(typeof key === 'string' ? key : ''), Buffer.from(await this.keyOf(projectId, serial))];
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
