const CHANGING_GET = /^\/api\/project\/(create|:\w+\/start)(\/|$)/;

/** Of a route, not of a path, which has many spellings: whether asking with GET creates or starts something, as clients of years ago do. */
export const changesByGet = (route: string | undefined): boolean => CHANGING_GET.test(route ?? '');
