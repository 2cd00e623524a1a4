import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { asOfShown, service } from '../service/service.ts';
import { useLoaded } from '../service/use-loaded.ts';
import { everyText, fullOf, HOUR_LENGTH, shortOf, yearDayText, zoneText, localField } from '../time/instants.ts';
import { Members } from './members.tsx';
import { OwnAlerts } from './own-alerts.tsx';
import { Maintenance } from './maintenance.tsx';
import { ProjectSettings } from './project-settings.tsx';
import { ActionButton } from '../parts/action-button.tsx';
import { importedSentence } from './sentence.ts';
import { OpenedForm } from '../parts/opened-form.tsx';
import { serverNow } from '../time/server-clock.ts';

type Project = Schemas['ProjectInFull'];

interface AsideProps {
  readonly project: Project;
  readonly now: number;
  readonly round: number;
  /** Reads the page again. */
  readonly changed: () => void;
}

/** What is watched beside the checks, and who hears of it. */
export function Aside({ project, now, round, changed }: AsideProps) {
  const isNow = shownInstant.value === null;
  const { id } = project;
  const key = `${id} ${String(asOfShown().asOf)}`;
  const maintenance = useLoaded(
    key,
    async (signal) => (await service.get('/project/{id}/maintenance', { path: { id }, query: asOfShown(), signal })).data,
    round,
  );
  const users = useLoaded(
    key,
    async (signal) => (await service.get('/project/{id}/users', { path: { id }, query: asOfShown(), signal })).data,
    round,
  );
  return (
    <aside class="aside">
      <Part title="Certificate">
        <Certificate project={project} />
      </Part>
      {project.httpsRedirectEnabled && (
        <Part title="HTTP to HTTPS">
          <Redirect project={project} now={now} />
        </Part>
      )}
      <Part title="Maintenance">
        <Maintenance
          projectId={id}
          windows={maintenance.value}
          now={now}
          mayChange={isNow && project.permissions.edit}
          changed={maintenance.reload}
        />
        {isNow && project.permissions.edit && <PlanMaintenance projectId={id} planned={maintenance.reload} />}
      </Part>
      <ImportedUptime projectId={id} round={round} mayChange={isNow && project.permissions.edit} />
      <Part title="Members">
        {users.value === undefined ? (
          <p class="soft" aria-busy="true" />
        ) : (
          <Members projectId={id} members={users.value} mayManage={isNow && project.permissions.manageUsers} changed={users.reload} />
        )}
      </Part>
      <OwnAlerts projectId={id} round={round} isNow={isNow} />
      {project.tags.length > 0 && (
        <Part title="Tags">
          <p>
            {project.tags.map((tag, index) => (
              <span key={tag}>
                {index > 0 && ', '}
                <Link to={[]} query={{ tag }}>
                  {tag}
                </Link>
              </span>
            ))}
          </p>
        </Part>
      )}
      <Part title="Settings">
        <p class="soft">
          Uptime {project.uptimeEnabled === 'false' ? 'is not watched' : `every ${project.uptimeEnabled} s`}, checks{' '}
          {project.period === 'false' ? 'only when started' : everyText(project.period)}, from {project.location}
        </p>
        {isNow && project.permissions.edit && <ProjectSettings project={project} changed={changed} />}
      </Part>
    </aside>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Certificate({ project: { sslStatus, sslDaysLeft, sslExpiration, sslError } }: { readonly project: Project }) {
  if (sslStatus === 'nossl') return <p class="soft">none: the address begins with http</p>;
  if (sslError !== null) return <p class="problem">{sslError}</p>;
  if (sslExpiration === null || sslDaysLeft === undefined) return <p class="soft">not seen yet</p>;
  return (
    <>
      <p class={sslStatus === 'ok' ? '' : sslStatus === 'soon' ? 'warn' : 'problem'}>
        {sslStatus === 'expired' ? 'has expired' : `${String(sslDaysLeft)} ${sslDaysLeft === 1 ? 'day' : 'days'} left`}
      </p>
      <p class="soft" title={fullOf(Date.parse(sslExpiration))}>
        valid to {yearDayText(Date.parse(sslExpiration))}
      </p>
    </>
  );
}

function Redirect({ project, now }: { readonly project: Project; readonly now: number }) {
  const { httpsRedirectStatus, httpsRedirectCheckedAt, httpsRedirectFinalUrl } = project;
  if (httpsRedirectStatus === null) return <p class="soft">not looked at yet</p>;
  const isOk = httpsRedirectStatus === 'ok';
  return (
    <>
      <p>
        <Glyph state={isOk ? 'working' : 'warning'} />{' '}
        {isOk
          ? `leads to ${httpsRedirectFinalUrl ?? 'https'}`
          : httpsRedirectStatus === 'failed'
            ? 'does not lead to https'
            : 'could not be reached'}
      </p>
      {httpsRedirectCheckedAt !== null && <p class="soft">looked at {shortOf(Date.parse(httpsRedirectCheckedAt), now)}</p>}
    </>
  );
}

interface ImportedUptimeProps {
  readonly projectId: string;
  readonly round: number;
  /** True in the present, for a person with the right to. */
  readonly mayChange: boolean;
}

/** What another product measured before; nothing where nothing was imported. */
function ImportedUptime({ projectId, round, mayChange }: ImportedUptimeProps) {
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

/** Announces planned work: what is recorded before it begins counts as announced in every report. */
function PlanMaintenance({ projectId, planned }: { readonly projectId: string; readonly planned: () => void }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const opened = (): void => {
    const next = Math.ceil(serverNow() / HOUR_LENGTH) * HOUR_LENGTH;
    setFrom(localField(next));
    setTo(localField(next + HOUR_LENGTH));
  };
  const plan = async (): Promise<undefined> => {
    const body = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), note };
    await service.post('/project/{id}/maintenance', { path: { id: projectId }, body });
    planned();
  };
  return (
    <OpenedForm label="Plan maintenance" submit="Plan it" opened={opened} save={plan}>
      <label>
        From ({zoneText()})
        <input
          type="datetime-local"
          name="maintenance-from"
          value={from}
          onInput={(event) => setFrom(event.currentTarget.value)}
          required
        />
      </label>
      <label>
        To ({zoneText()})
        <input type="datetime-local" name="maintenance-to" value={to} onInput={(event) => setTo(event.currentTarget.value)} required />
      </label>
      <label>
        Note
        <input name="maintenance-note" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
    </OpenedForm>
  );
}
