import { existsSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inOneLine, readSiteFiles } from '../read-site-files.ts';
import { readSite } from '../read-site-file.ts';
import type { SiteFile } from '../site-file.dto.ts';
import { readYaml, type YamlDocument } from '../yaml-text.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { WrongUse } from '../../platform/cli/command.ts';
import { SiteBuilder } from './built-site.ts';
import { filesOfFolder } from './given-files.ts';
import { isSameValue, SiteYaml } from './site-yaml.ts';

/** The files of a folder and of those below it, and which site or status page stands in which. */
export class PulledFiles {
  private readonly files = new Map<string, SiteYaml>();
  private readonly names = new Map<string, string>();
  /** As the files say them, with what they extend. */
  private readonly sites: ReadonlyMap<string, SiteFile>;
  private readonly builder = new SiteBuilder();

  constructor(
    private readonly folder: string,
    /** Has the schema for editors. */
    private readonly server: string,
  ) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw new WrongUse(`${folder}: is no folder`);
    mkdirSync(folder, { recursive: true });
    const given = filesOfFolder(folder);
    for (const { name, text } of given) {
      const [problem] = readYaml(text).problems;
      if (problem !== undefined)
        throw new StartRefused(`${inOneLine({ file: name, ...problem })}; mend the file, or pull into another folder`);
      for (const key of this.open(name, text).keys()) this.names.set(key, name);
    }
    this.sites = new Map(readSiteFiles(given).sites.map(({ site }) => [site.key, site]));
  }

  /** Answers the name of the file. */
  async writeSite(key: string, site: object, name = key): Promise<string> {
    const known = this.sites.get(key);
    const read = readSite({ ...NOWHERE, value: site }, new Map());
    return known !== undefined && 'site' in read && (await this.areSame(known, read.site))
      ? this.pathOf(key, name)
      : this.write(key, site, name);
  }

  write(key: string, document: object, name = key): string {
    const path = this.pathOf(key, name);
    (this.files.get(path) ?? this.open(path, '')).write(key, document);
    return path;
  }

  /** Files in which nothing changes stay as they are. */
  save(): void {
    for (const [name, file] of this.files) if (file.isChanged) replaceFile(name, file.toString());
  }

  close(): Promise<void> {
    return this.builder.close();
  }

  /** A server may be hostile, or another than it says: its words choose a name within the folder, which no program reads by itself. */
  private pathOf(key: string, name: string): string {
    const known = this.names.get(key);
    if (known !== undefined) return known;
    // A colon in a name is refused by some file systems.
    const file = name.replaceAll(':', '-');
    if (!FILE_NAME.test(file))
      throw new StartRefused(`the server names a file ${JSON.stringify(name)}, which is none; nothing was written`);
    return join(this.folder, `${file}.yaml`);
  }

  private open(name: string, text: string): SiteYaml {
    const file = new SiteYaml(text, ` yaml-language-server: $schema=${this.server}/schemas/site.json`);
    this.files.set(name, file);
    return file;
  }

  /** Whether two sites have the same settings, whatever they leave to defaults and templates. */
  private async areSame(one: SiteFile, other: SiteFile): Promise<boolean> {
    const [left, right] = await Promise.all([one, other].map((site) => this.builder.build({ site, document: NOWHERE })));
    const rest = ({ members = [], notifications, objective, maintenance = [] }: SiteFile): object => ({
      members,
      notifications: notifications ?? null,
      objective: objective ?? null,
      maintenance,
    });
    const isBuilt = left?.problems.length === 0 && right?.problems.length === 0;
    return isBuilt && isSameValue(left.built, right.built) && isSameValue(rest(one), rest(other));
  }
}

const FILE_NAME = /^[a-z0-9][a-z0-9._-]{0,200}$/i;

/** Only problems have a place. */
const NOWHERE: YamlDocument = { value: null, placeOf: () => ({ line: 1, column: 1 }) };

/** An interrupted write leaves the old file, with the comments of its owner. A link stays one. */
function replaceFile(name: string, text: string): void {
  const file = existsSync(name) ? realpathSync(name) : name;
  const beside = `${file}.new`;
  writeFileSync(beside, text);
  renameSync(beside, file);
}
