import '../../bench/support/register.mjs';

const { default: tearDown } = await import('../../test/support/global-teardown.ts');

export default tearDown;
