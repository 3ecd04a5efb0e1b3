/** A relay controlled by the test. Records the frames it receives. */
import { act } from '@testing-library/react';
import { LiveSocket, type ConnectionHandlers } from '../live/socket';

interface Frame {
  readonly action: string;
  readonly channel?: string;
  readonly last_event_id?: number;
}

export class FakeRelay {
  readonly sent: Frame[] = [];
  /** Answers pings, so that a slow test does not time out the connection. */
  answersPings = false;
  connections = 0;
  #handlers: ConnectionHandlers | null = null;
  #open = false;

  readonly socket = (): LiveSocket =>
    new LiveSocket({
      delay: () => 1000,
      connect: (handlers) => {
        this.connections += 1;
        this.#handlers = handlers;
        return {
          isOpen: () => this.#open,
          send: (text) => {
            const frame: Frame = JSON.parse(text);
            this.sent.push(frame);
            if (frame.action !== 'ping' || !this.answersPings) return;
            queueMicrotask(() => handlers.onFrame('{"type":"pong"}'));
          },
          close: () => {
            this.#open = false;
          },
        };
      },
    });

  open(): void {
    this.#open = true;
    act(() => this.#handlers?.onOpen());
  }

  disconnect(code?: number): void {
    this.#open = false;
    act(() => this.#handlers?.onClose(code));
  }

  deliver(...messages: readonly object[]): void {
    act(() => {
      for (const message of messages) this.#handlers?.onFrame(JSON.stringify(message));
    });
  }

  frames(action: string): readonly Frame[] {
    return this.sent.filter((frame) => frame.action === action);
  }
}
