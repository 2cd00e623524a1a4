import type { DestinationKind } from './destination.settings.ts';
import { randomId } from '../../kernel/ids.ts';
import type { DestinationRow } from './destination.view.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { ParsedSettings, Transports } from '../../alerts/channels/channel.ts';
import { maskSecrets } from '../../alerts/sender/address-book.ts';
import { composeTest } from './batch.ts';
import { openValues } from './batch-push.ts';
import { kinds } from './kinds/kind-table.ts';

/** Validates the settings of a destination, and sends it a batch without events. */
export class DestinationTest {
  constructor(
    private readonly guard: Pick<SsrfGuard, 'readUrl'>,
    private readonly keyring: Pick<Keyring, 'open'>,
    private readonly transports: Transports,
  ) {}

  parseSettings(kind: DestinationKind, given: Readonly<Record<string, unknown>>): ParsedSettings {
    return kinds[kind].parseSettings(given, this.guard);
  }

  async send(
    { destinationId, kind, values }: DestinationRow,
    baseUrl: string,
  ): Promise<{ readonly delivered: boolean; readonly answer: string }> {
    const settings = await openValues(this.keyring, values);
    if (settings === null) return { delivered: false, answer: 'its address cannot be read' };
    const batch = composeTest(randomId(), destinationId, this.transports.now(), baseUrl);
    const outcome = await kinds[kind].deliver(settings, batch, this.transports);
    const delivered = outcome.kind === 'delivered';
    return { delivered, answer: maskSecrets(delivered ? outcome.answer : outcome.reason, settings) };
  }
}
