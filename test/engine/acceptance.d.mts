export function contractOn(url: string, what: string, say: (line: string) => void): Promise<boolean>;
