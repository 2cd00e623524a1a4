/** The file does not follow the format of SQLite. */
export class SqliteDamaged extends Error {
  override readonly name = 'SqliteDamaged';
}

/** A writer changed pages while they were read: what was read belongs to no one instant. */
export class SqliteChanged extends Error {
  override readonly name = 'SqliteChanged';
}
