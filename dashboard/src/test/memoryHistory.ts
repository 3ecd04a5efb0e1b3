import { announcements, resolve, type History, type Location } from '../lib/history';
import { randomKey } from '../lib/randomKey';

const start = { pathname: '/', search: '', hash: '' };

/** A history that begins at a path and is nobody else's. */
export function memoryHistory(path: string): History {
  const { type, announce, subscribe } = announcements();
  let location: Location = { ...resolve(path, start), state: null, key: 'default' };
  return {
    current: () => ({ location, type: type() }),
    go: (to, { replace = false, state = null }) => {
      location = { ...to, state, key: randomKey() };
      announce(replace ? 'REPLACE' : 'PUSH');
    },
    subscribe,
  };
}
