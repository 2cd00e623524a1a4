import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { maintenanceWithin, type Span } from '../../../domain/maintenance/occurrences.ts';
import { VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import { maintenanceView } from './maintenance.view.ts';

/** When a project really was, is or will be in maintenance within a span: merged, in order. */
export class MaintenanceWithin extends Query<readonly Span[]> {
  constructor(
    readonly projectId: string,
    readonly span: Span,
  ) {
    super();
  }
}

@QueryHandler(MaintenanceWithin)
export class MaintenanceWithinHandler implements IQueryHandler<MaintenanceWithin> {
  constructor(@Inject(VIEWS_AT) private readonly views: ViewsAt) {}

  async execute({ projectId, span }: MaintenanceWithin): Promise<readonly Span[]> {
    const row = await this.views.now().get(maintenanceView, projectId);
    return row === null ? [] : maintenanceWithin(row.windows, span);
  }
}
