/** When requests begin that no page waits for, such as those of notices. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';

/** After the first page was opened: its own requests are over by then. */
const DELAY_MS = 5000;

const BackgroundContext = createContext(false);

interface BackgroundProviderProps {
  readonly children: ReactNode;
  /** Overridden in tests. */
  readonly delayMs?: number;
}

export function BackgroundProvider({ children, delayMs = DELAY_MS }: BackgroundProviderProps) {
  const [due, setDue] = useState(delayMs === 0);
  useEffect(() => {
    if (due) return undefined;
    const timer = setTimeout(() => setDue(true), delayMs);
    return () => clearTimeout(timer);
  }, [due, delayMs]);
  return <BackgroundContext value={due}>{children}</BackgroundContext>;
}

/** True once requests that no page waits for may begin. */
export function useBackground(): boolean {
  return useContext(BackgroundContext);
}
