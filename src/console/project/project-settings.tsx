import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { OpenedForm } from '../parts/opened-form.tsx';
import { service } from '../service/service.ts';

type Project = Schemas['ProjectInFull'];

const UPTIME = { '15': 'every 15 s', '30': 'every 30 s', '60': 'every 60 s', false: 'not watched' } as const;
const PERIODS = ['5 minutes', '30 minutes', '1 hour', '8 hours', '1 day', '7 days'] as const;

/** The settings that people change most; the others have the API. */
export function ProjectSettings({ project, changed }: { readonly project: Project; readonly changed: () => void }) {
  const [title, setTitle] = useState(project.title);
  const [uptime, setUptime] = useState(project.uptimeEnabled);
  const [period, setPeriod] = useState(project.period);
  const opened = (): void => {
    setTitle(project.title);
    setUptime(project.uptimeEnabled);
    setPeriod(project.period);
  };
  const save = async (): Promise<undefined> => {
    // Only what differs: what others change meanwhile stays.
    const body = {
      ...(title !== project.title && { title }),
      ...(uptime !== project.uptimeEnabled && { uptimeEnabled: uptime }),
      ...(period !== project.period && { period }),
    };
    await service.patch('/project/{id}', { path: { id: project.id }, body });
    changed();
  };
  return (
    <OpenedForm label="Change the settings" submit="Save" opened={opened} save={save}>
      <label>
        Title
        <input name="title" value={title} onInput={(event) => setTitle(event.currentTarget.value)} required />
      </label>
      <label>
        Uptime
        <select name="uptime" value={uptime} onChange={(event) => setUptime(event.currentTarget.value as Project['uptimeEnabled'])}>
          {Object.entries(UPTIME).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Checks
        <select name="period" value={period} onChange={(event) => setPeriod(event.currentTarget.value as Project['period'])}>
          {PERIODS.map((value) => (
            <option key={value} value={value}>
              every {value}
            </option>
          ))}
          <option value="false">only when started</option>
        </select>
      </label>
    </OpenedForm>
  );
}
