// How matches are named: by id, and for a private match a dot and the invitation. Links contain the whole name;
// records are found by id, and pages that others may see show only the id.
export const matchName = (id: string, invite?: unknown): string => (typeof invite === 'string' && invite !== '' ? `${id}.${invite}` : id);
export const matchId = (name: string): string => name.split('.', 1)[0] ?? name;
export const isPrivate = (name: string): boolean => name.includes('.');
