import type { BuildOptions } from 'esbuild';

export const verifierBundle: BuildOptions;
export function assertInlineable(script: string): void;
