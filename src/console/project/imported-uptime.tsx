import type { Schemas } from '../../client.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { importedSentence } from './imported-sentence.ts';

interface ImportedUptimeProps {
  readonly projectId: string;
  readonly round: number;
  /** In the present, with the right to. */
  readonly mayChange: boolean;
}

/** What another product measured before; nothing where nothing was imported. */
export function ImportedUptime({ projectId, round, mayChange }: ImportedUptimeProps) {
  const { value, reload } = useLoaded<Schemas['ImportedUptime']>(
    `${projectId} ${String(asOfShown().asOf)}`,
    async (signal) => (await service.get('/project/{id}/imported-uptime', { path: { id: projectId }, query: asOfShown(), signal })).data,
    round,
  );
  const sentence = value === undefined ? null : importedSentence(value);
  if (sentence === null) return null;
  const remove = async (): Promise<undefined> => {
    await service.delete('/project/{id}/imported-uptime', { path: { id: projectId } });
    reload();
  };
  return (
    <section>
      <h2>Imported uptime</h2>
      <p class="soft">{sentence}</p>
      {mayChange && <ActionButton label="Remove" about="the imported uptime" run={remove} />}
    </section>
  );
}
