import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Thing } from './thing.ts';
import { InvalidInput } from '../../../kernel/errors.ts';
import { SETTINGS_TAG_LENGTH } from '../../commands/settings-tag.ts';

const THING = 'watchledger:if-match';
const reflector = new Reflector();

/** The route changes the settings of this thing, and does so under `If-Match` (docs/spec/decisions.md#G17). */
export const IfMatch = (thing: Thing): MethodDecorator => SetMetadata(THING, thing);

type Annotated = Parameters<Reflector['get']>[1];

/** Undefined when the route has nothing to compare a tag with. */
export const matchedThing = (handler: Annotated): Thing | undefined => reflector.get<Thing | undefined>(THING, handler);

/** For operations that change no settings by themselves. */
export const nothingToMatch = (): InvalidInput =>
  new InvalidInput('If-Match: has nothing to compare with in this operation; send it without');

const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"[\\t ]*';
const LIST = new RegExp(`^[\\t ]*(?:${TAG})?(?:,[\\t ]*(?:${TAG})?)*$`);

/**
 * The tags of settings in `If-Match`; null for `*`, which every existing thing matches. Weak tags never match (RFC 9110, 13.1.1), and neither does a tag
 * that names no settings, such as one of a list.
 */
export function readIfMatch(header: string): readonly string[] | null {
  if (header.trim() === '*') return null;
  const tags = LIST.test(header) ? [...header.matchAll(/(W\/)?"([^"]*)"/g)] : [];
  if (tags.length === 0) throw new InvalidInput('If-Match: must be "*", or entity tags in double quotes, separated by commas');
  return tags.flatMap(([, weak, tag = '']) => {
    const [settings = ''] = tag.split('.', 1);
    return weak === undefined && settings.length === SETTINGS_TAG_LENGTH ? [settings] : [];
  });
}
