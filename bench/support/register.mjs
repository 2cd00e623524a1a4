import { register } from 'node:module';

// node --import bench/support/register.mjs FILE.ts
register('./typescript-hooks.mjs', import.meta.url);
