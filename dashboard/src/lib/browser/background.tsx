/** When requests begin that no page waits for, such as those of notices. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';

/** After the first page was opened: its own requests are over by then. */
const DELAY_MS = 5000;

/** For what people wait for, although no page does. */
const SOON_MS = 1500;

interface Background {
  readonly soon: boolean;
  readonly due: boolean;
}

const BackgroundContext = createContext<Background>({ soon: false, due: false });

interface BackgroundProviderProps {
  readonly children: ReactNode;
  /** Overridden in tests. */
  readonly delayMs?: number;
}

export function BackgroundProvider({ children, delayMs = DELAY_MS }: BackgroundProviderProps) {
  const soon = useElapsed(Math.min(delayMs, SOON_MS));
  const due = useElapsed(delayMs);
  return <BackgroundContext value={{ soon, due }}>{children}</BackgroundContext>;
}

function useElapsed(delayMs: number): boolean {
  const [elapsed, setElapsed] = useState(delayMs === 0);
  useEffect(() => {
    if (elapsed) return undefined;
    const timer = setTimeout(() => setElapsed(true), delayMs);
    return () => clearTimeout(timer);
  }, [elapsed, delayMs]);
  return elapsed;
}

/** True once requests that no page waits for may begin. */
export function useBackground(): boolean {
  return useContext(BackgroundContext).due;
}

/** The same, earlier. */
export function useSoon(): boolean {
  return useContext(BackgroundContext).soon;
}
