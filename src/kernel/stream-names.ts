/** Ids are branded where they are parsed, so that one kind is not taken for another. */
export type ProjectId = string & { readonly __brand: 'ProjectId' };
export type UserId = number & { readonly __brand: 'UserId' };

/** The stream of a project, and the scope of everything that belongs to it. */
export const projectStream = (projectId: string): string => `project-${projectId}`;
/** The scope of what belongs to a project; null for what belongs to the installation. */
export const ownerScope = (projectId: string | null): string => (projectId === null ? 'system' : projectStream(projectId));
/** The stream of an account, and the scope of everything that belongs to it. */
export const accountStream = (userId: number): string => `account-${String(userId)}`;
export const certificateStream = (projectId: string): string => `certificate-${projectId}`;
export const correctionsStream = (checkId: string): string => `corrections-${checkId}`;
/** A stream per project and year bounds its length. */
export const daysStream = (projectId: string, day: string): string => `days-${projectId}-${day.slice(0, 4)}`;
export const jobStream = (jobId: string): string => `job-${jobId}`;
export const loginStream = (tokenId: string): string => `login-${tokenId}`;
export const messageStream = (messageId: string): string => `message-${messageId}`;
export const redirectStream = (projectId: string): string => `redirect-${projectId}`;
export const uptimeStream = (projectId: string): string => `uptime-${projectId}`;
export const verdictStream = (checkId: string): string => `verdict-${checkId}`;

// The casts put the brand on: the caller knows what kind of scope it has.
export const projectIdOf = (scope: string): ProjectId => scope.slice('project-'.length) as ProjectId;
export const userIdOf = (scope: string): UserId => Number(scope.slice('account-'.length)) as UserId;
