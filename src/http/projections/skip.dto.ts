import { IsNotEmpty } from 'class-validator';
import { IsPlainText } from '../validation/plain-text.ts';
import { Trimmed } from '../validation/transforms.ts';

export class SkipDto {
  /** Stands in the record, for whoever asks later. */
  @Trimmed() @IsPlainText(1000) @IsNotEmpty() reason!: string;
}
