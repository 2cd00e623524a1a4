import { KeyParked } from '../../projections/views/views.ts';

/** What a list cannot show at the moment is named beside what it can: nobody takes it for gone, and nothing else has to wait for an operator. */
export const unreadable = (what: string, ids: readonly string[]): { readonly unreadable?: readonly object[] } =>
  ids.length === 0 ? {} : { unreadable: ids.map((id) => ({ id, message: new KeyParked(what, id).message })) };
