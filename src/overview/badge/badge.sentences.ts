import type { BadgeEvents } from './badge.events.ts';
import type { Sentences } from '../../kernel/sentence.ts';

export const badgeSentences = {
  BadgePublished: () => 'Public badge switched on',
  BadgeWithdrawn: () => 'Public badge switched off',
} satisfies Sentences<BadgeEvents>;
