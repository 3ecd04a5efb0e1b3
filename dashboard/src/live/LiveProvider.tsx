import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { socketUrl } from '../lib/browser/paths';
import { connectBrowser } from './browserConnection';
import { startListFeed } from './listFeed';
import { startSessionFeed } from './sessionFeed';
import { startTraceFeed } from './traceFeed';
import { LiveSocket, type LiveStatus } from './socket';

const LiveContext = createContext<LiveSocket | null>(null);

function browserSocket(): LiveSocket {
  return new LiveSocket({ connect: connectBrowser(socketUrl(window.location)) });
}

interface LiveProviderProps {
  readonly children: ReactNode;
  /** Overridden in tests. */
  readonly create?: () => LiveSocket;
}

export function LiveProvider({ children, create = browserSocket }: LiveProviderProps) {
  const [socket] = useState(create);
  useEffect(() => {
    socket.start();
    const visible = () => {
      if (document.visibilityState === 'visible') socket.wake();
    };
    window.addEventListener('online', socket.wake);
    window.addEventListener('offline', socket.lose);
    document.addEventListener('visibilitychange', visible);
    return () => {
      window.removeEventListener('online', socket.wake);
      window.removeEventListener('offline', socket.lose);
      document.removeEventListener('visibilitychange', visible);
      socket.stop();
    };
  }, [socket]);
  return <LiveContext value={socket}>{children}</LiveContext>;
}

/** For parts that are loaded later and follow a channel of their own. */
export function useLiveSocket(): LiveSocket {
  const socket = useContext(LiveContext);
  if (socket === null) throw new Error('this component must be inside a LiveProvider');
  return socket;
}

/** Reconnects without waiting for the backoff. */
export function useWake(): () => void {
  return useLiveSocket().wake;
}

export function useLiveStatus(): LiveStatus {
  const socket = useLiveSocket();
  return useSyncExternalStore(socket.onStatus, socket.status);
}

/** Grace period of the first connection, before the UI reports it as disconnected. */
const CONNECT_GRACE_MS = 4000;

/** True when the connection was lost, or was not established within the grace period. */
export function useDisconnected(): boolean {
  const status = useLiveStatus();
  const [overdue, setOverdue] = useState(false);
  useEffect(() => {
    if (status !== 'connecting') return undefined;
    const timer = setTimeout(() => setOverdue(true), CONNECT_GRACE_MS);
    return () => clearTimeout(timer);
  }, [status]);
  return status === 'reconnecting' || (status === 'connecting' && overdue);
}

/** The polling interval while the WebSocket is disconnected; false while it is open. */
export function useFallbackInterval(everyMs: number): number | false {
  const status = useLiveStatus();
  return status === 'open' ? false : everyMs;
}

export function useSessionFeed(id: string, enabled: boolean): void {
  const client = useQueryClient();
  const socket = useLiveSocket();
  useEffect(
    () => (enabled ? startSessionFeed(client, socket, id) : undefined),
    [client, socket, id, enabled],
  );
}

export function useTraceFeed(id: string, enabled: boolean): void {
  const client = useQueryClient();
  const socket = useLiveSocket();
  useEffect(
    () => (enabled ? startTraceFeed(client, socket, id) : undefined),
    [client, socket, id, enabled],
  );
}

export function useListFeed(): void {
  const client = useQueryClient();
  const socket = useLiveSocket();
  useEffect(() => startListFeed(client, socket), [client, socket]);
}
