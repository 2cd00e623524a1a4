import type { EntriesOf } from '../../kernel/catalogue.ts';

/** They stand in the project's stream. The link itself is no part of them: it is derived from the serial and a secret. */
export interface BadgeEvents {
  BadgePublished: { readonly serial: number };
  BadgeWithdrawn: { readonly serial: number };
}

export const badgeEvents = { BadgePublished: { version: 1 }, BadgeWithdrawn: { version: 1 } } satisfies EntriesOf<BadgeEvents>;
