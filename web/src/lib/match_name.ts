// How matches are named: by their id, and, where they are private, behind a point by their invitation. The whole name is
// what a link holds; the id is what a record is found by, and all that is shown on a page that others may look at.
export const matchName = (id: string, invite?: unknown): string => (typeof invite === 'string' && invite !== '' ? `${id}.${invite}` : id);
export const matchId = (name: string): string => name.split('.', 1)[0] ?? name;
export const isPrivate = (name: string): boolean => name.includes('.');
