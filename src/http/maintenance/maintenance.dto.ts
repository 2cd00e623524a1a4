import { IsIn, IsNotEmpty, IsOptional, IsString } from 'class-validator';
import { type Repeat, repeats } from '../../domain/maintenance/maintenance.events.ts';
import { IsPlainText } from '../validation/plain-text.ts';

export class ScheduleMaintenanceDto {
  @IsString({ message: 'must be an ISO 8601 date-time' })
  @IsNotEmpty({ message: 'must be an ISO 8601 date-time' })
  from!: string;

  @IsString({ message: 'must be an ISO 8601 date-time' })
  @IsNotEmpty({ message: 'must be an ISO 8601 date-time' })
  to!: string;

  @IsOptional()
  @IsPlainText(1000)
  note?: string | null;

  @IsOptional()
  @IsIn(repeats, { message: `must be one of ${repeats.join(', ')}` })
  repeat?: Repeat | null;
}

export class CancelMaintenanceDto {
  @IsOptional()
  @IsString({ message: 'must be the id of a window' })
  id?: string;
}
