/** Whether node has warned that too many listen to a signal: it says so once, on standard error, and remembers it on the signal. */
export const hasListenerLeakWarning = (signal: AbortSignal): boolean =>
  Object.getOwnPropertySymbols(signal).some(
    (symbol) => symbol.description === 'events.maxEventTargetListenersWarned' && Reflect.get(signal, symbol) === true,
  );
