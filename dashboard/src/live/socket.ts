/** The one WebSocket: channels, reconnecting, pings. It knows no React and no session. */
import { backoffDelay } from './backoff';
import { readMessage, type ClientMessage, type LiveMessage } from './messages';

/** What a connection tells the socket. */
export interface ConnectionHandlers {
  readonly onOpen: () => void;
  readonly onFrame: (frame: string) => void;
  readonly onClose: () => void;
}

export interface Connection {
  readonly isOpen: () => boolean;
  readonly send: (frame: string) => void;
  /** Ends the connection; its handlers hear nothing more. */
  readonly close: () => void;
}

export type Connect = (handlers: ConnectionHandlers) => Connection;

export type LiveStatus = 'connecting' | 'open' | 'degraded' | 'reconnecting';

export interface Watcher {
  readonly channel: string;
  /** Which messages this watcher wants; a message does not name its channel. */
  readonly accepts: (message: LiveMessage) => boolean;
  readonly onMessage: (message: LiveMessage) => void;
  /** Where to go on after a reconnect; null replays from the beginning. */
  readonly lastEventId: () => number | null;
  /** Called when the connection came back after it had been lost. */
  readonly onReconnect?: () => void;
}

export interface LiveSocketOptions {
  readonly connect: Connect;
  readonly pingEveryMs?: number;
  readonly pongWithinMs?: number;
  readonly delay?: (attempt: number) => number;
}

export class LiveSocket {
  readonly #options: Required<LiveSocketOptions>;
  readonly #watchers = new Set<Watcher>();
  readonly #listeners = new Set<() => void>();
  #connection: Connection | null = null;
  #status: LiveStatus = 'connecting';
  /** Channels that the relay cannot serve well at the moment; it says so for each. */
  readonly #degraded = new Set<string>();
  #attempt = 0;
  #wasOpen = false;
  #stopped = true;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #deadTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LiveSocketOptions) {
    this.#options = { pingEveryMs: 20_000, pongWithinMs: 10_000, delay: backoffDelay, ...options };
  }

  readonly status = (): LiveStatus => this.#status;

  readonly onStatus = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retryTimer);
    this.#drop();
  }

  /**
   * The network or the tab came back: tries at once instead of waiting out the delay. A connection
   * that is there may have died in the meantime without a word; it is asked.
   */
  readonly wake = (): void => {
    if (this.#stopped) return;
    if (this.#connection !== null) {
      if (this.#connection.isOpen()) this.#ping();
      return;
    }
    clearTimeout(this.#retryTimer);
    this.#connect();
  };

  watch(watcher: Watcher): () => void {
    const first = !this.#watched(watcher.channel);
    this.#watchers.add(watcher);
    if (first) this.#subscribe(watcher);
    return () => {
      this.#watchers.delete(watcher);
      if (!this.#watched(watcher.channel)) {
        this.#send({ action: 'unsubscribe', channel: watcher.channel });
        this.#setDegraded(watcher.channel, false);
      }
    };
  }

  catchup(channel: string, lastEventId: number | null): void {
    this.#send({ action: 'catchup', channel, last_event_id: lastEventId ?? 0 });
  }

  #watched(channel: string): boolean {
    return [...this.#watchers].some((watcher) => watcher.channel === channel);
  }

  #subscribe(watcher: Watcher): void {
    const last = watcher.lastEventId();
    this.#send({
      action: 'subscribe',
      channel: watcher.channel,
      ...(last === null ? {} : { last_event_id: last }),
    });
  }

  #send(message: ClientMessage): void {
    if (this.#connection?.isOpen()) this.#connection.send(JSON.stringify(message));
  }

  #connect(): void {
    this.#connection = this.#options.connect({
      onOpen: () => this.#opened(),
      onFrame: (frame) => this.#received(frame),
      onClose: () => this.#lost(),
    });
  }

  #opened(): void {
    this.#attempt = 0;
    const again = this.#wasOpen;
    this.#wasOpen = true;
    this.#setStatus('open');
    this.#pingTimer = setInterval(() => this.#ping(), this.#options.pingEveryMs);
    const subscribed = new Set<string>();
    for (const watcher of this.#watchers) {
      if (!subscribed.has(watcher.channel)) this.#subscribe(watcher);
      subscribed.add(watcher.channel);
      if (again) watcher.onReconnect?.();
    }
  }

  #ping(): void {
    this.#send({ action: 'ping' });
    this.#deadTimer ??= setTimeout(() => this.#lost(), this.#options.pongWithinMs);
  }

  #received(frame: string): void {
    clearTimeout(this.#deadTimer);
    this.#deadTimer = undefined;
    const message = readMessage(frame);
    if (message === null) return;
    const channel = message.channel ?? '';
    if (message.type === 'connection.degraded') this.#setDegraded(channel, true);
    if (message.type === 'connection.recovered') this.#setDegraded(channel, false);
    for (const watcher of this.#watchers) {
      const mine =
        message.channel === null ? watcher.accepts(message) : message.channel === watcher.channel;
      if (mine) watcher.onMessage(message);
    }
  }

  #lost(): void {
    this.#drop();
    if (this.#stopped) return;
    this.#setStatus('reconnecting');
    this.#retryTimer = setTimeout(() => this.#connect(), this.#options.delay(this.#attempt));
    this.#attempt += 1;
  }

  #drop(): void {
    clearInterval(this.#pingTimer);
    clearTimeout(this.#deadTimer);
    this.#deadTimer = undefined;
    this.#degraded.clear();
    this.#connection?.close();
    this.#connection = null;
  }

  #setDegraded(channel: string, degraded: boolean): void {
    if (degraded) this.#degraded.add(channel);
    else this.#degraded.delete(channel);
    const up = this.#status === 'open' || this.#status === 'degraded';
    if (up) this.#setStatus(this.#degraded.size > 0 ? 'degraded' : 'open');
  }

  #setStatus(status: LiveStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const listener of this.#listeners) listener();
  }
}
