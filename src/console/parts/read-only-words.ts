import { shownInstant } from '../frame/address.ts';

/** Why a form of checks or groups cannot be changed, and who can. */
export const readOnlyWords = (): string =>
  shownInstant.value === null
    ? 'Your role in the project shows it; developers and admins of the project change it.'
    : 'As it was; nothing can be changed here.';
