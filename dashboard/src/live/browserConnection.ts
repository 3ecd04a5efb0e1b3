import type { Connect } from './socket';

export function connectBrowser(url: string): Connect {
  return (handlers) => {
    const socket = new WebSocket(url);
    const listeners = new AbortController();
    const { signal } = listeners;
    socket.addEventListener('open', handlers.onOpen, { signal });
    socket.addEventListener('close', ({ code }) => handlers.onClose(code), { signal });
    socket.addEventListener(
      'message',
      (event: MessageEvent<unknown>) => {
        if (typeof event.data === 'string') handlers.onFrame(event.data);
      },
      { signal },
    );
    return {
      isOpen: () => socket.readyState === WebSocket.OPEN,
      send: (frame) => socket.send(frame),
      close: () => {
        listeners.abort();
        socket.close();
      },
    };
  };
}
