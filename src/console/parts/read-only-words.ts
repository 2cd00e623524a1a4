import { shownInstant } from '../frame/address.ts';

/** Why none can be added. `what`: in the plural. */
export const nothingAddedWords = (what: string): string =>
  shownInstant.value === null
    ? `Your role adds no ${what}; developers and admins of the site do.`
    : `The console shows a past instant: no ${what} can be added there.`;

/** Why a form of checks or groups cannot be changed, and who can. */
export const readOnlyWords = (): string =>
  shownInstant.value === null
    ? 'Your role shows it; developers and admins of the site change it.'
    : 'As it was; nothing can be changed here.';
