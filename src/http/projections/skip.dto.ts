import { IsFilledText } from '../validation/plain-text.ts';
import { Trimmed } from '../validation/transforms.ts';

export class SkipDto {
  /** Stands in the record, for whoever asks later. */
  @Trimmed() @IsFilledText(1000) reason!: string;
}
