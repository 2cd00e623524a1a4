import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { systemAdmin, systemReader } from '../../accounts/rights/right.ts';
import { readInput } from '../../platform/http/validation/input.ts';
import { mergePatch } from '../../platform/http/validation/merge-patch.ts';
import { CurrentCaller, CurrentReader, type DestinationCaller, type DestinationReader } from './current-caller.ts';
import { DestinationActions } from './destination-actions.ts';
import {
  InstallationDestinationDto,
  InstallationReplayDto,
  NewInstallationDestinationDto,
  type AddedDestinationAnswer,
  type DestinationAnswer,
  type DestinationTestAnswer,
  type ParkedAnswer,
} from './destination.api.ts';
import { DestinationReading } from './destination-reading.ts';
import { destinationThing } from './destination.view.ts';

/** Destinations to which the events of the whole installation are pushed (docs/spec/beyond.md#B25). */
@Controller('destinations')
export class InstallationDestinationController {
  constructor(
    private readonly actions: DestinationActions,
    private readonly reading: DestinationReading,
  ) {}

  @Get()
  @Needs(systemReader)
  list(@CurrentReader() { owner }: DestinationReader): Promise<readonly DestinationAnswer[]> {
    return this.reading.list(owner);
  }

  @Post()
  @Needs(systemAdmin)
  @HttpCode(200)
  add(@CurrentCaller() caller: DestinationCaller, @Body() body: NewInstallationDestinationDto): Promise<AddedDestinationAnswer> {
    return this.actions.add(caller, body);
  }

  @Get(':did')
  @Needs(systemReader)
  read(
    @CurrentReader() { owner }: DestinationReader,
    @Param('did') id: string,
    @ShownSettings() show: ShowTag,
  ): Promise<DestinationAnswer> {
    return this.reading.read(owner, id, show);
  }

  @Put(':did')
  @IfMatch(destinationThing)
  @Needs(systemAdmin)
  change(
    @CurrentCaller() caller: DestinationCaller,
    @Param('did') id: string,
    @Body() body: InstallationDestinationDto,
  ): Promise<DestinationAnswer> {
    return this.actions.change(caller, id, body);
  }

  @Patch(':did')
  @IfMatch(destinationThing)
  @Needs(systemAdmin)
  async patch(@CurrentCaller() caller: DestinationCaller, @Param('did') id: string, @Body() patch: unknown): Promise<DestinationAnswer> {
    const { name, types, scopes } = await this.reading.read(caller.owner, id);
    return this.change(caller, id, readInput(InstallationDestinationDto, mergePatch({ name, types, scopes }, patch)));
  }

  @Delete(':did')
  @IfMatch(destinationThing)
  @Needs(systemAdmin)
  remove(@CurrentCaller() caller: DestinationCaller, @Param('did') id: string): Promise<object> {
    return this.actions.remove(caller, id);
  }

  @Post(':did/pause')
  @Needs(systemAdmin)
  @HttpCode(200)
  pause(@CurrentCaller() caller: DestinationCaller, @Param('did') id: string): Promise<DestinationAnswer> {
    return this.actions.pause(caller, id);
  }

  @Post(':did/resume')
  @Needs(systemAdmin)
  @HttpCode(200)
  resume(@CurrentCaller() caller: DestinationCaller, @Param('did') id: string): Promise<DestinationAnswer> {
    return this.actions.resume(caller, id);
  }

  @Post(':did/replay')
  @Needs(systemAdmin)
  @HttpCode(200)
  replay(
    @CurrentCaller() caller: DestinationCaller,
    @Param('did') id: string,
    @Body() { from, scope }: InstallationReplayDto,
  ): Promise<DestinationAnswer> {
    return this.actions.replay(caller, id, from, scope ?? null);
  }

  @Post(':did/test')
  @Needs(systemAdmin)
  @HttpCode(200)
  test(@CurrentCaller() caller: DestinationCaller, @Param('did') id: string): Promise<DestinationTestAnswer> {
    return this.actions.sendTest(caller, id);
  }

  @Get(':did/parked')
  @Needs(systemReader)
  parked(@CurrentReader() { owner }: DestinationReader, @Param('did') id: string): Promise<readonly ParkedAnswer[]> {
    return this.reading.parked(owner, id);
  }
}
