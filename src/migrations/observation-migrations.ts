import { CreateObservations1700000005000 } from './0005-observations.migration.ts';
import { CreateKeptAnswers1700000010000 } from './0010-kept-answers.migration.ts';
import { AddFlushIds1700000031000 } from './0031-flush-ids.migration.ts';
import { CreateFormHtml1700000034000 } from './0034-form-html.migration.ts';
import { CreateKeptExchanges1700000043000 } from './0043-kept-exchanges.migration.ts';
import { MarkPassingAnswers1700000044000 } from './0044-passing-answers.migration.ts';
import { NotePageEnds1700000050000 } from './0050-page-ends.migration.ts';
import { CreateObservationFences1700000080000 } from './0080-observation-fences.migration.ts';
import { CreateObservationHome1700000081000 } from './0081-observation-home.migration.ts';
import { StorePageBodies1700000082000 } from './0082-page-bodies.migration.ts';

/** The migrations of a database of observations alone (`OBSERVATIONS_URL`): those of the migration table that concern their tables. */
export const observationMigrations = [
  CreateObservations1700000005000,
  CreateKeptAnswers1700000010000,
  AddFlushIds1700000031000,
  CreateFormHtml1700000034000,
  CreateKeptExchanges1700000043000,
  MarkPassingAnswers1700000044000,
  NotePageEnds1700000050000,
  CreateObservationFences1700000080000,
  CreateObservationHome1700000081000,
  StorePageBodies1700000082000,
];
