import './register.mjs';

// The double in a process of its own, as a server is: in one process the two would share a thread, and a figure would tell nothing.
const { KurrentDbDouble } = await import('../../test/support/kurrentdb-double/kurrentdb-double.ts');
const double = await KurrentDbDouble.start();
process.on('disconnect', () => process.exit());
process.send?.(double.url);
