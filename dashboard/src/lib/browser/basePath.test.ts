import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { basePathOf } from './basePath';

function page(content: string): Document {
  const html = `<head><meta name="base-path" content="${content}"></head>`;
  return new DOMParser().parseFromString(html, 'text/html');
}

describe('the base path', () => {
  beforeEach(() => vi.resetModules());
  afterEach(() => document.head.replaceChildren());

  it('is what the page names, if that is a path', () => {
    expect(basePathOf(page('/tarsy'))).toBe('/tarsy');
    expect(basePathOf(page('/ops/tarsy-2'))).toBe('/ops/tarsy-2');
    for (const other of ['', '/', 'tarsy', '//evil.example', 'https://evil.example', '/a/'])
      expect(basePathOf(page(other))).toBe('');
  });

  it('stands before the paths of the API and the addresses of pages', async () => {
    document.head.innerHTML = '<meta name="base-path" content="/ops/tarsy">';
    const { addressOf, endpoints, isApiUrl, pages, socketUrl } = await import('./paths');
    expect(endpoints.sessions).toBe('/ops/tarsy/api/v1/sessions');
    expect(endpoints.health).toBe('/ops/tarsy/health');
    expect(endpoints.timeline('a')).toBe('/ops/tarsy/api/v1/sessions/a/timeline');
    expect(socketUrl({ protocol: 'https:', host: 'host.example' })).toBe(
      'wss://host.example/ops/tarsy/api/v1/ws',
    );
    expect(isApiUrl(`${location.origin}/ops/tarsy/api/v1/me`)).toBe(true);
    expect(isApiUrl(`${location.origin}/api/v1/me`)).toBe(false);
    expect(addressOf(pages.session('a'))).toBe('/ops/tarsy/sessions/a');
    const { signInUrl } = await import('../../app/signInWindow');
    expect(signInUrl('/sessions/a')).toBe('/ops/tarsy/api/v1/sign-in?return_to=%2Fsessions%2Fa');
  });

  it('is empty in a page of a server that has its host for itself', async () => {
    const { addressOf, endpoints, pages } = await import('./paths');
    expect(endpoints.health).toBe('/health');
    expect(addressOf(pages.signIn)).toBe('/sign-in');
  });
});
