/** Whether Node warned about too many listeners of a signal, which it does once per signal. */
export const hasListenerLeakWarning = (signal: AbortSignal): boolean =>
  Object.getOwnPropertySymbols(signal).some(
    (symbol) => symbol.description === 'events.maxEventTargetListenersWarned' && Reflect.get(signal, symbol) === true,
  );
