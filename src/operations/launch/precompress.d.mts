export function precompress(folder: string): void;
