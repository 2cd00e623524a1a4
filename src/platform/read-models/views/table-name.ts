export const tableOf = (schema: string, view: { readonly name: string }): string => `"${schema}"."${view.name}"`;
