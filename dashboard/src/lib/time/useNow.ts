import { useEffect, useState } from 'react';

type Listener = (now: number) => void;

interface Ticker {
  readonly listeners: Set<Listener>;
  readonly timer: ReturnType<typeof setInterval>;
}

/** One timer per interval, shared by all listeners, so that they update in one render. */
const tickers = new Map<number, Ticker>();

function onTick(everyMs: number, listener: Listener): () => void {
  const ticker = tickers.get(everyMs) ?? start(everyMs);
  ticker.listeners.add(listener);
  return () => {
    ticker.listeners.delete(listener);
    if (ticker.listeners.size > 0) return;
    clearInterval(ticker.timer);
    if (tickers.get(everyMs) === ticker) tickers.delete(everyMs);
  };
}

function start(everyMs: number): Ticker {
  const listeners = new Set<Listener>();
  const tick = () => {
    const now = Date.now();
    for (const listener of listeners) listener(now);
  };
  const ticker = { listeners, timer: setInterval(tick, everyMs) };
  tickers.set(everyMs, ticker);
  return ticker;
}

/** The current time, updated every `everyMs` while `running`. */
export function useNow(running: boolean, everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => (running ? onTick(everyMs, setNow) : undefined), [running, everyMs]);
  return now;
}
