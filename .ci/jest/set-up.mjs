import '../../bench/support/register.mjs';

const { default: setUp } = await import('../../test/support/global-setup.ts');

export default setUp;
