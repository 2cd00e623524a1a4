import type { View } from '../authoring/define-view.ts';
import { summariesOf } from '../authoring/summary.ts';

/** The columns of a read row. */
export const rowColumns = (view: View): string => ['key', 'doc', 'parked', ...summariesOf(view).map(([field]) => `"${field}"`)].join(', ');

export const tableOf = (schema: string, view: { readonly name: string }): string => `"${schema}"."${view.name}"`;
