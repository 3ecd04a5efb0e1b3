/** The WebSocket client: channel subscriptions, reconnectCount and pings. Independent of React. */
import { CREDENTIAL_ENDED, reportSignedOut } from '../api/signIn';
import { backoffDelay } from './backoff';
import { readMessage, type ClientMessage, type LiveMessage } from './messages';

export interface ConnectionHandlers {
  readonly onOpen: () => void;
  readonly onFrame: (frame: string) => void;
  /** With the close code, if the other side closed. */
  readonly onClose: (code?: number) => void;
}

export interface Connection {
  readonly isOpen: () => boolean;
  readonly send: (frame: string) => void;
  /** Closes the connection without calling its handlers. */
  readonly close: () => void;
}

export type Connect = (handlers: ConnectionHandlers) => Connection;

export type LiveStatus = 'connecting' | 'open' | 'degraded' | 'reconnecting';

export interface Subscription {
  readonly channel: string;
  /** Filters messages that do not name their channel. */
  readonly accepts: (message: LiveMessage) => boolean;
  readonly onMessage: (message: LiveMessage) => void;
  /** The replay starts after this event; null replays all events. */
  readonly lastEventId: () => number | null;
  /** Called after a lost connection was reestablished. */
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
  readonly #subscriptions = new Set<Subscription>();
  readonly #listeners = new Set<() => void>();
  #connection: Connection | null = null;
  #status: LiveStatus = 'connecting';
  /** Channels that the relay reported as degraded. */
  readonly #degraded = new Set<string>();
  #attempt = 0;
  #wasOpen = false;
  #stopped = true;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #pongTimer: ReturnType<typeof setTimeout> | undefined;

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
    this.#closeConnection();
  }

  /**
   * Called when the network or the tab is active again: reconnects without waiting for the backoff, or
   * pings an open connection, which may be dead.
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

  /** Called when the network is gone: a browser closes its connections only later. */
  readonly lose = (): void => {
    if (this.#stopped || this.#connection === null) return;
    this.#handleClose();
  };

  subscribe(subscription: Subscription): () => void {
    const first = !this.#isSubscribed(subscription.channel);
    this.#subscriptions.add(subscription);
    if (first) this.#sendSubscribe(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
      if (!this.#isSubscribed(subscription.channel)) {
        this.#send({ action: 'unsubscribe', channel: subscription.channel });
        this.#setDegraded(subscription.channel, false);
      }
    };
  }

  catchup(channel: string, lastEventId: number | null): void {
    this.#send({ action: 'catchup', channel, last_event_id: lastEventId ?? 0 });
  }

  #isSubscribed(channel: string): boolean {
    return [...this.#subscriptions].some((subscription) => subscription.channel === channel);
  }

  #sendSubscribe(subscription: Subscription): void {
    const last = subscription.lastEventId();
    this.#send({
      action: 'subscribe',
      channel: subscription.channel,
      ...(last === null ? {} : { last_event_id: last }),
    });
  }

  #send(message: ClientMessage): void {
    if (this.#connection?.isOpen()) this.#connection.send(JSON.stringify(message));
  }

  #connect(): void {
    this.#connection = this.#options.connect({
      onOpen: () => this.#handleOpen(),
      onFrame: (frame) => this.#handleFrame(frame),
      onClose: (code) => {
        if (code === CREDENTIAL_ENDED) reportSignedOut();
        this.#handleClose();
      },
    });
  }

  #handleOpen(): void {
    this.#attempt = 0;
    const reconnected = this.#wasOpen;
    this.#wasOpen = true;
    this.#setStatus('open');
    this.#pingTimer = setInterval(() => this.#ping(), this.#options.pingEveryMs);
    const subscribed = new Set<string>();
    for (const subscription of this.#subscriptions) {
      if (!subscribed.has(subscription.channel)) this.#sendSubscribe(subscription);
      subscribed.add(subscription.channel);
      if (reconnected) subscription.onReconnect?.();
    }
  }

  #ping(): void {
    this.#send({ action: 'ping' });
    this.#pongTimer ??= setTimeout(() => this.#handleClose(), this.#options.pongWithinMs);
  }

  #handleFrame(frame: string): void {
    clearTimeout(this.#pongTimer);
    this.#pongTimer = undefined;
    const message = readMessage(frame);
    if (message === null) return;
    const channel = message.channel ?? '';
    if (message.type === 'connection.degraded') this.#setDegraded(channel, true);
    if (message.type === 'connection.recovered') this.#setDegraded(channel, false);
    for (const subscription of this.#subscriptions) {
      const matches =
        message.channel === null
          ? subscription.accepts(message)
          : message.channel === subscription.channel;
      if (matches) subscription.onMessage(message);
    }
  }

  #handleClose(): void {
    this.#closeConnection();
    if (this.#stopped) return;
    this.#setStatus('reconnecting');
    this.#retryTimer = setTimeout(() => this.#connect(), this.#options.delay(this.#attempt));
    this.#attempt += 1;
  }

  #closeConnection(): void {
    clearInterval(this.#pingTimer);
    clearTimeout(this.#pongTimer);
    this.#pongTimer = undefined;
    this.#degraded.clear();
    this.#connection?.close();
    this.#connection = null;
  }

  #setDegraded(channel: string, degraded: boolean): void {
    if (degraded) this.#degraded.add(channel);
    else this.#degraded.delete(channel);
    const connected = this.#status === 'open' || this.#status === 'degraded';
    if (connected) this.#setStatus(this.#degraded.size > 0 ? 'degraded' : 'open');
  }

  #setStatus(status: LiveStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const listener of this.#listeners) listener();
  }
}
