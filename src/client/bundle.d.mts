import type { BuildOptions } from 'esbuild';

export const clientBundle: BuildOptions;
