import '../../bench/support/register.mjs';
import { slowness } from './slowness.mjs';

process.env.TEST_SLOWNESS ??= slowness().toFixed(1);
const { default: setUp } = await import('../../test/support/global-setup.ts');

export default setUp;
