import { Module } from '@nestjs/common';
import { NamesReader } from './names-reader.ts';
import {
  AddWitnessPeerHandler,
  DeclareTruncatedHandler,
  DisownSealKeyHandler,
  RemoveWitnessPeerHandler,
  SkipForProjectionHandler,
  VoidEventHandler,
} from './system.commands.ts';

/** The commands of the log as a whole, and the names in its events. */
@Module({
  providers: [
    NamesReader,
    AddWitnessPeerHandler,
    DeclareTruncatedHandler,
    DisownSealKeyHandler,
    RemoveWitnessPeerHandler,
    SkipForProjectionHandler,
    VoidEventHandler,
  ],
  exports: [NamesReader],
})
export class HistoryModule {}
