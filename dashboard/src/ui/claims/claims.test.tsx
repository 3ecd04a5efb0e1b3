import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Claim } from '../../lib/session/claims';
import MarkdownBody from '../markdown/MarkdownBody';

/** A claim at the first place of a text in the Markdown. */
function claim(markdown: string, text: string, changes: Partial<Claim> = {}): Claim {
  const start = markdown.indexOf(text);
  const place = { start, end: start + text.length };
  const about = { kind: 'quantity', verdict: 'unsupported', call: null, line: null, shown: null };
  return { ...about, text, ...place, ...changes };
}

function show(markdown: string, ...claims: readonly Claim[]) {
  return render(<MarkdownBody text={markdown} claims={claims} />).container;
}

/** The text of the marks without the signs of their verdicts. */
function marked(): readonly string[] {
  return screen.getAllByTestId('claim').map((mark) => {
    const copy = mark.cloneNode(true) as Element;
    for (const button of copy.querySelectorAll('button')) button.remove();
    return copy.textContent;
  });
}

it('marks a claim at its place, with a button that names its verdict', () => {
  const text = 'It used 5 GiB, then 5 GiB more.';
  const second = text.lastIndexOf('5 GiB');
  const container = show(text, claim(text, '5 GiB', { start: second, end: second + 5 }));
  expect(container.querySelector('p')).toHaveTextContent('It used 5 GiB, then 5 GiB? more.');
  expect(marked()).toEqual(['5 GiB']);
  expect(screen.getByRole('button', { name: 'Not supported: 5 GiB' })).toBeInTheDocument();
});

it.each([
  ['emphasis', 'about **5** GiB left', '**5** GiB', ['5', ' GiB']],
  ['an escape', 'use 5\\*2 GiB', '5\\*2 GiB', ['5*2 GiB']],
  ['a reference', 'more than &gt;5 GiB', '5 GiB', ['5 GiB']],
  ['a list', '- one\n- two is 5 GiB\n', '5 GiB', ['5 GiB']],
  ['a quote of two lines', '> it is 5\n> GiB now', '5\n> GiB', ['5\nGiB']],
  ['a heading', '## 5 GiB left', '5 GiB', ['5 GiB']],
  ['inline code', 'pod `web-1 x` died', 'web-1 x', ['web-1 x']],
  ['characters of two code units', '😀 it is 5 GiB', '5 GiB', ['5 GiB']],
  ['characters that reorder text', 'run \u202e now 5 GiB', '5 GiB', ['5 GiB']],
])('marks a claim in %s', (_, text, subject, expected) => {
  show(text, claim(text, subject));
  expect(marked()).toEqual(expected);
  expect(screen.getAllByTestId('claim-verdict')).toHaveLength(1);
});

it('keeps tables, links and code blocks whole', () => {
  const text =
    '| a | b |\n|-|-|\n| x | 5 GiB |\n\n[see 7 GiB](https://a.example/)\n\n```\nfree 9 GiB\n```\n';
  const claims = ['5 GiB', '7 GiB', 'free 9 GiB'].map((subject) => claim(text, subject));
  const container = show(text, ...claims);
  expect(marked()).toEqual(['5 GiB', 'see 7 GiB', 'free 9 GiB']);
  expect(within(screen.getByRole('table')).getAllByRole('cell')).toHaveLength(2);
  const link = screen.getByRole('link', { name: 'see 7 GiB' });
  expect(within(link).queryByRole('button')).not.toBeInTheDocument();
  expect(container.querySelector('pre')?.textContent).toBe('free 9 GiB\n');
  expect(container.querySelector('pre mark')).toBeNull();
});

it('shows one mark where claims overlap: that of the one that is not verified', () => {
  const text = 'The log has "5 GiB were free".';
  show(
    text,
    claim(text, '"5 GiB were free"', { kind: 'quotation', verdict: 'supported' }),
    claim(text, '5 GiB'),
  );
  expect(marked()).toEqual(['5 GiB']);
});

it('marks no supported citation, which is a link already', () => {
  const text = 'Full [call 1], slow [call 9].';
  show(
    text,
    claim(text, '[call 1]', { kind: 'citation', verdict: 'supported' }),
    claim(text, '[call 9]', { kind: 'citation', verdict: 'no_such_call' }),
  );
  expect(marked()).toEqual(['[call 9]']);
});

it('does not render marks of the text itself', () => {
  const container = show('<mark data-claim="0" data-last="true">x</mark>');
  expect(container.querySelector('mark')).toBeNull();
});

it('shows the verdict on focus, and hides it on Escape', async () => {
  const text = 'It used 5 GiB [call 2].';
  show(text, claim(text, '5 GiB', { verdict: 'contradicted', call: 2, line: 7, shown: '12 GiB' }));
  const user = userEvent.setup();
  await user.tab();
  const button = screen.getByRole('button', { name: 'Contradicted: 5 GiB' });
  expect(button).toHaveFocus();
  expect(button).toHaveAccessibleDescription(
    /A result shows another value\..*call 2, line 7.*12 GiB/,
  );
  await user.keyboard('{Escape}');
  expect(screen.queryByTestId('claim-popover')).not.toBeInTheDocument();
  await user.hover(screen.getByTestId('claim'));
  expect(screen.getByTestId('claim-popover')).toHaveTextContent('12 GiB');
});
