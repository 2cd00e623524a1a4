import { Inject, Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { StatusPageLanguage } from '../status-page.settings.ts';
import { UUID_PATTERN } from '../../kernel/ids.ts';
import { SealBroken } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { SubjectKey } from '../../platform/security/keyring/subject-key.ts';

export type SubscriberKind = 'email' | 'webhook';

/** What the owner of an address has to confirm. */
export interface SignUp {
  readonly pageId: string;
  readonly kind: SubscriberKind;
  readonly address: string;
  /** Signs what is sent to a webhook; null for a mail address. */
  readonly secret: string | null;
  /** Ids of items of the page; none: everything. */
  readonly items: readonly string[];
  readonly language: StatusPageLanguage;
  /** Milliseconds. */
  readonly expiresAt: number;
}

const SUBJECT = 'subscribers';
const MAC_CHARACTERS = 32;

/**
 * The links of double opt-in and of unsubscribing. A sign-up is stored nowhere: the link that its address gets is the sign-up, encrypted, so that no
 * number of hostile sign-ups leaves anything behind.
 */
@Injectable()
export class SubscriberLinks {
  constructor(@Inject(Secrets) private readonly secrets: Pick<Secrets, 'secret'>) {}

  async signUpToken(signUp: SignUp): Promise<string> {
    return (await this.key()).seal(JSON.stringify(signUp)).sealed;
  }

  /** Null when it was not made here, or has expired. */
  async readSignUp(token: string, now: number): Promise<SignUp | null> {
    try {
      const signUp = JSON.parse((await this.key()).open({ subject: SUBJECT, sealed: token })) as SignUp;
      return signUp.expiresAt > now ? signUp : null;
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }

  async unsubscribeToken(subscriberId: string): Promise<string> {
    return `${subscriberId}.${await this.mac('unsubscribe', subscriberId)}`;
  }

  /** The id of the subscriber; null: the link was not made here. */
  async readUnsubscribe(token: string): Promise<string | null> {
    const [id = '', mac = ''] = token.split('.');
    if (!UUID_PATTERN.test(id)) return null;
    const [given, expected] = [Buffer.from(mac), Buffer.from(await this.mac('unsubscribe', id))];
    return given.length === expected.length && timingSafeEqual(given, expected) ? id : null;
  }

  /** A keyed hash under which an address is found without being readable. */
  addressHash({ pageId, kind, address }: Pick<SignUp, 'pageId' | 'kind' | 'address'>): Promise<string> {
    const spelled = kind === 'email' ? address.trim().normalize('NFC').toLowerCase() : address;
    return this.mac('address', JSON.stringify([pageId, kind, spelled]), 64);
  }

  private async mac(purpose: string, text: string, characters = MAC_CHARACTERS): Promise<string> {
    return createHmac('sha256', await this.secrets.secret('subscribers'))
      .update(JSON.stringify([purpose, text]))
      .digest('hex')
      .slice(0, characters);
  }

  private async key(): Promise<SubjectKey> {
    return new SubjectKey(SUBJECT, await this.secrets.secret('subscribers'));
  }
}
