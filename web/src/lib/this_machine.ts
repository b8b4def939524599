// Whether the browser reached the server through a loopback name.
export const isThisMachine = (): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
