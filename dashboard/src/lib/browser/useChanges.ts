import { useCallback, useEffect, useRef } from 'react';

/**
 * Changes a value that is rendered later, such as one in the URL: a second change begins with what the first one made, although
 * that is not rendered yet.
 */
export function useChanges<T>(value: T, apply: (next: T, replace: boolean) => void) {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  return useCallback(
    (change: (current: T) => T, replace = false) => {
      latest.current = change(latest.current);
      apply(latest.current, replace);
    },
    [apply],
  );
}
