import './register.mjs';

// The double in its own process, because in one process it would share the thread of the measured code.
const { KurrentDbDouble } = await import('../../test/support/kurrentdb-double/kurrentdb-double.ts');
const double = await KurrentDbDouble.start();
process.on('disconnect', () => process.exit());
process.send?.(double.url);
