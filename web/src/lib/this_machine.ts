// Whether the browser reached the server by a name that only this machine has.
export const isThisMachine = (): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
