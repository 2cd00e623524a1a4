import { describe, expect, it } from '@jest/globals';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import type { AccountEvents } from '../../accounts/account.events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { AddressBook, maskSecrets } from './address-book.ts';

describe('the secrets of a webhook', () => {
  const DAY_MS = 86_400_000;
  const [opened, rotated, again] = [0, 1, 2].map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString()) as [string, string, string];
  const end = (from: string): string => new Date(Date.parse(from) + 3 * DAY_MS).toISOString();

  async function rotatedTwice(): Promise<(now: string) => Promise<readonly (string | undefined)[]>> {
    const keyring = new MemoryKeyring();
    const seal = (text: string) => keyring.seal('account-7', text);
    const url = await seal('https://hooks.example.com/');
    const set = async (secret: string, previousUntil?: string): Promise<AccountEvents['ChannelSet']> => ({
      channel: 'webhook',
      values: { url, secret: await seal(secret) },
      ...(previousUntil === undefined ? {} : { previousUntil }),
    });
    const person = { userId: 7, email: await seal('a@example.com'), name: await seal('n'), apiKey: await seal('k'), plan: 'basic' };
    const facts = [
      ['AccountOpened', opened, { ...person, systemRole: null, confirmed: true, by: 'registration' }],
      ['ChannelSet', opened, await set('first')],
      ['ChannelSet', rotated, await set('second', end(rotated))],
      ['ChannelSet', again, await set('third', end(again))],
    ] as const;
    const events = facts.map(([type, occurredAt, data], n) => ({ n, type, version: 1, scope: 'account-7', data, meta: { occurredAt } }));
    const views = new MemoryViews(() => events as unknown as readonly LogEvent[]);
    return async (now) => {
      const address = await new AddressBook(views, keyring, { now: () => Date.parse(now) }).find(7, 'webhook');
      const { url: _, ...secrets } = address.kind === 'found' ? address.settings : {};
      return Object.values(secrets);
    };
  }

  it('sign until they end, the newest first', async () => {
    const secretsAt = await rotatedTwice();
    expect(await secretsAt(again)).toEqual(['third', 'second', 'first']);
    expect(await secretsAt(end(rotated))).toEqual(['third', 'second']);
    expect(await secretsAt(end(again))).toEqual(['third']);
  });
});

describe('the answer of a receiver', () => {
  const url = 'https://hooks.example.com/services/T0123/B4567/kXq81LmPz0aaRt';

  it.each([
    `no such hook: ${url}`,
    'Cannot POST /services/T0123/B4567/kXq81LmPz0aaRt',
    'unknown key kXq81LmPz0aaRt',
    '{"error":"kXq81LmPz0aaRt is not a key"}',
  ])('is shown without the secrets of its address: %s', (text) => {
    const shown = maskSecrets(text, { url });
    expect(shown).toContain('(hidden)');
    expect(shown).not.toContain('kXq81');
  });

  it('keeps the rest of its text', () => {
    expect(maskSecrets('the services of example.com are away', { url })).toBe('the services of example.com are away');
    expect(maskSecrets('wrong token abcd-efgh', { token: 'abcd-efgh' })).toBe('wrong token (hidden)');
    expect(maskSecrets('not found: /hook?key=very-secret', { url: 'https://example.com/hook?key=very-secret' })).toBe(
      'not found: (hidden)',
    );
  });
});
