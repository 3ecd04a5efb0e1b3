import { readFileSync } from 'node:fs';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { idOf, linkOf } from '../../ui/markdown/DocumentBody';

/** The tests run in the dashboard's folder. */
const docs = '../docs';

describe('a page of the documentation', () => {
  it('is shown without another server, at the heading that the link names', async () => {
    const scrolled = vi.fn<(id: string) => void>();
    Element.prototype.scrollIntoView = function scroll() {
      scrolled(this.id);
    };
    openPage('/documentation/operating#keys-of-models');
    const page = within(await screen.findByTestId('documentation'));
    const heading = await page.findByRole('heading', { name: 'Keys of models' });
    expect(heading).toHaveAttribute('id', 'keys-of-models');
    await waitFor(() => expect(scrolled).toHaveBeenCalledWith('keys-of-models'));
    expect(page.queryByText(/<!--/)).not.toBeInTheDocument();
    const [configuration] = page.getAllByRole('link', { name: 'configuration.md' });
    expect(configuration).toHaveAttribute('href', expect.stringMatching('^/documentation/'));
  });

  it('is linked from a failed session that it explains', async () => {
    const failure = {
      code: 'credentials',
      reason: 'no key',
      provider: 'team',
      remedy: 'Set TEAM_KEY.',
      document: 'operating.md#keys-of-models',
    };
    server.use(
      answer(
        '/api/v1/sessions/failed',
        sessionDetail({ id: 'failed', status: 'failed', error_message: 'no key', failure }),
      ),
      answer('/api/v1/sessions/failed/timeline', []),
    );
    openPage('/sessions/failed');
    const shown = await screen.findByTestId('session-failure');
    expect(shown).toHaveTextContent('Provider team failed: No key');
    expect(within(shown).getByTestId('remedy')).toHaveTextContent('Set TEAM_KEY.');
    const link = await within(shown).findByRole('link', { name: 'What to do: keys of models' });
    expect(link).toHaveAttribute('href', '/documentation/operating#keys-of-models');
  });

  it('that is none says so', async () => {
    openPage('/documentation/../secrets');
    expect(await screen.findByTestId('not-found')).toBeInTheDocument();
  });

  it('is named by its path, and links of it to files that are none lead nowhere', () => {
    const has = (page: string) => ['operating', 'install/helm'].includes(page);
    expect(linkOf('install/helm', '../operating.md#a', has)).toBe('/documentation/operating#a');
    expect(linkOf('operating', 'install/helm.md', has)).toBe('/documentation/install/helm');
    expect(linkOf('operating', '#keys', has)).toBe('#keys');
    expect(linkOf('operating', 'https://example.com/', has)).toBe('https://example.com/');
    expect(linkOf('operating', 'adr/0001-a.md', has)).toBeNull();
    expect(linkOf('operating', '../deploy/postgres/roles.sql', has)).toBeNull();
  });

  it('exists with its heading wherever a failure names one', () => {
    const codes = readFileSync('../libs/domain/src/failure.rs', 'utf8');
    const named = [...codes.matchAll(/"([\w/-]+)\.md#([\w-]+)"/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [, page = '', anchor = ''] of named) {
      const text = readFileSync(`${docs}/${page}.md`, 'utf8');
      const headings = text.split('\n').filter((line) => line.startsWith('#'));
      expect(headings.map((line) => idOf(line.replace(/^#+ /, '')))).toContain(anchor);
    }
  });
});
