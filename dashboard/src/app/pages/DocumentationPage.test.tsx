import { readdirSync, readFileSync } from 'node:fs';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { linkOf } from '../../ui/DocumentBody';

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
    const error =
      'the provider team could not be used: no key; see docs/operating.md#keys-of-models';
    server.use(
      answer(
        '/api/v1/sessions/failed',
        sessionDetail({ id: 'failed', status: 'failed', error_message: error }),
      ),
      answer('/api/v1/sessions/failed/timeline', []),
    );
    openPage('/sessions/failed');
    const failure = await screen.findByTestId('session-failure');
    expect(failure).toHaveTextContent('Provider team failed: no keyWhat to do: keys of models');
    const link = await within(failure).findByRole('link', { name: 'What to do: keys of models' });
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

  it('exists with its heading wherever an error names one', () => {
    const turn = readFileSync('../services/orchestrator/src/engine/turn.rs', 'utf8');
    const [, page = '', anchor = ''] = /see docs\/([\w/-]+)\.md#([\w-]+)/.exec(turn) ?? [];
    expect(readdirSync(docs)).toContain(`${page}.md`);
    const heading = new RegExp(`^#+ ${anchor.replaceAll('-', '[ -]')}$`, 'im');
    expect(readFileSync(`${docs}/${page}.md`, 'utf8')).toMatch(heading);
  });
});
