import { type FileProblem, type GivenFile, type GivenSite, sitesOf } from '../../http/site-files/read-site-files.ts';
import { SiteBuilder } from './built-site.ts';
import { parsedFiles } from './parsed-files.ts';

export interface ValidSites {
  readonly sites: readonly GivenSite[];
  readonly problems: readonly FileProblem[];
}

/** The sites of files, with everything that the service would refuse of them. */
export async function validSites(files: readonly GivenFile[]): Promise<ValidSites> {
  const { sites, problems: ofFiles } = sitesOf(await parsedFiles(files));
  const builder = new SiteBuilder();
  const problems: FileProblem[] = [...ofFiles];
  try {
    for (const site of sites) {
      const { problems: found } = await builder.build(site);
      problems.push(...found.map((problem) => ({ file: site.file, ...problem })));
    }
  } finally {
    await builder.close();
  }
  return { sites, problems };
}
