import { shownInstant } from '../frame/address.ts';

/** Why a form of checks or groups cannot be changed, and who can. */
export const readOnlyWords = (): string =>
  shownInstant.value === null
    ? 'Your role shows it; developers and admins of the site change it.'
    : 'As it was; nothing can be changed here.';
