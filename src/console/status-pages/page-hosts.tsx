import { useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { service } from '../service/service.ts';
import { session } from '../session/session.ts';
import type { StatusPage } from './page-draft.ts';

interface PageHostsProps {
  readonly page: StatusPage;
  readonly isNow: boolean;
  readonly reload: () => void;
}

/** The host names of a page: shown to those who edit it, set by administrators. */
export function PageHostNames({ page, isNow, reload }: PageHostsProps) {
  const [text, setText] = useState(page.hosts.join(' '));
  const mayChange = isNow && session.value?.rights.administer === true;
  if (!mayChange && page.hosts.length === 0) return null;
  const save = async (): Promise<string> => {
    const hosts = text.split(/[\s,]+/).filter((host) => host !== '');
    await service.put('/status-pages/{id}/hosts', { path: { id: page.id }, body: { hosts } });
    reload();
    return hosts.length === 0 ? 'The page has no host of its own.' : 'Saved. The page answers there within a few seconds.';
  };
  return (
    <section class="section" aria-labelledby="page-hosts">
      <h2 id="page-hosts">Hosts of its own</h2>
      {!mayChange && <p class="mono">{page.hosts.join(', ')}</p>}
      {mayChange && (
        <div class="fields medium">
          <label>
            Host names, such as status.example.com; their DNS and the proxy have to lead here
            <input name="page-hosts" class="mono" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <div class="actions">
            <ActionButton label="Save the hosts" about={page.title} run={save} />
          </div>
        </div>
      )}
    </section>
  );
}
