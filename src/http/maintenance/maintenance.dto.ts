import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { type Repeat, repeats } from '../../domain/maintenance/maintenance.events.ts';

export class ScheduleMaintenanceDto {
  @IsString({ message: 'must be an ISO 8601 date-time' })
  @IsNotEmpty({ message: 'must be an ISO 8601 date-time' })
  from!: string;

  @IsString({ message: 'must be an ISO 8601 date-time' })
  @IsNotEmpty({ message: 'must be an ISO 8601 date-time' })
  to!: string;

  @IsOptional()
  @IsString({ message: 'must be a text' })
  @MaxLength(1000, { message: 'at most 1000 characters' })
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
