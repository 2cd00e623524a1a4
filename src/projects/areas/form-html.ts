import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { KeptHtml } from './area.settings.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { FormHtmlStore } from '../../platform/observations/forms/form-html-store.ts';
import type { AreaRow } from './area.view.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';

export const keptHtmlOf = (html: string): KeptHtml | null =>
  html === '' ? null : { sha256: createHash('sha256').update(html).digest('hex'), length: html.length };

/** The markup of saved forms: kept beside the log, because it is only shown (docs/decisions/budgets.md). */
@Injectable()
export class FormHtml {
  constructor(
    private readonly store: FormHtmlStore,
    private readonly keyring: Keyring,
  ) {}

  /** After the event that refers to it, and before the answer: a refused command stores nothing, and a repeated one completes what a crash left. */
  async keep(context: RequestContext, projectId: string, areaId: string, html: string | null | undefined): Promise<void> {
    const kept = keptHtmlOf(html ?? '');
    if (kept === null) return;
    const sealed = await this.keyring.seal(projectStream(projectId), html ?? '');
    const isNew = await this.store.keep({ projectId, areaId, sha256: kept.sha256 }, Date.parse(context.occurredAt), sealed);
    if (isNew) context.recordBytes(sealed.sealed.length);
  }

  /** By area; empty where it is not kept any more. */
  async of(rows: readonly AreaRow[]): Promise<ReadonlyMap<string, string>> {
    const references = rows.flatMap(({ id, projectId, settings: { form } }) =>
      form?.keptHtml ? [{ projectId, areaId: id, sha256: form.keptHtml.sha256 }] : [],
    );
    const sealed = await this.store.read(references);
    const opened = rows.map(async ({ id, projectId, settings: { form } }) => {
      const text = sealed.get(id);
      // Events of earlier versions hold the markup itself.
      if (text === undefined) return [id, form?.keptHtml ? '' : (form?.html ?? '')] as const;
      return [id, (await this.keyring.open({ subject: projectStream(projectId), sealed: text })) ?? ''] as const;
    });
    return new Map(await Promise.all(opened));
  }

  /** With its group. */
  forget(projectId: string, areaId: string): Promise<void> {
    return this.store.forget(projectId, areaId);
  }
}
