export function transpileInline(file: string, text: string): string;
