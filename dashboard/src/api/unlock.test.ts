import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, it } from 'vitest';
import { server } from '../test/server';
import { request } from './client';
import { unlockFromAddress } from './unlock';
import { z } from './zod';

afterEach(() => {
  localStorage.clear();
  history.replaceState(null, '', '/');
});

/** Records what a request for a page's data carries. */
function recordKeys(): (string | null)[] {
  const keys: (string | null)[] = [];
  server.use(
    http.get('/api/v1/approvals', ({ request: { headers } }) => {
      keys.push(headers.get('X-CSRF-Token'));
      return HttpResponse.json({});
    }),
  );
  return keys;
}

describe('the token of the start', () => {
  it('is exchanged for a key, and is gone from the address before anything is sent', async () => {
    const sent: (string | null)[] = [];
    server.use(
      http.post('/api/v1/unlock', ({ request: { headers, url } }) => {
        sent.push(headers.get('Authorization'), location.href, url);
        return HttpResponse.json({ csrf_token: 'the key' });
      }),
    );
    history.replaceState(null, '', '/sessions/a?tab=b#token=secret');
    await unlockFromAddress();
    expect(location.hash).toBe('');
    expect(location.pathname + location.search).toBe('/sessions/a?tab=b');
    expect(sent[0]).toBe('Bearer secret');
    expect(sent.slice(1).join()).not.toContain('secret');
    expect(JSON.stringify({ ...localStorage })).not.toContain('secret');
    const keys = recordKeys();
    await request(z.object({}), '/api/v1/approvals');
    expect(keys).toEqual(['the key']);
  });

  it('changes nothing when it is that of an earlier start', async () => {
    server.use(
      http.post('/api/v1/unlock', () => HttpResponse.json({ title: 'no' }, { status: 401 })),
    );
    history.replaceState(null, '', '/#token=old');
    await unlockFromAddress();
    expect(location.hash).toBe('');
    const keys = recordKeys();
    await request(z.object({}), '/api/v1/approvals');
    expect(keys).toEqual([null]);
  });

  it('leaves other fragments alone', async () => {
    history.replaceState(null, '', '/#step-1');
    await unlockFromAddress();
    expect(location.hash).toBe('#step-1');
  });
});
