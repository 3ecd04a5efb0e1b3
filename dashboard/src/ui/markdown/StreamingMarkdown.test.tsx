import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import MarkdownBody from './MarkdownBody';
import StreamingMarkdownBody from './StreamingMarkdownBody';

const text = [
  '## Cause\n\nThe *disk* is full [call 1].',
  '### Proof\n\n- one\n\n  ```sh\n  df -h\n  ```\n\n- two',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd.',
].join('\n\n');

it('keeps the elements of closed blocks when text is appended', () => {
  const view = render(<StreamingMarkdownBody text={text.slice(0, 40)} />);
  const heading = view.container.querySelector('h3');
  expect(heading).toHaveTextContent('Cause');
  const { children } = view.container.firstElementChild as Element;
  for (let length = 41; length <= text.length; length += 1) {
    const before = [...children].slice(0, -1);
    const list = children.length > 2 && children[children.length - 1]?.tagName;
    view.rerender(<StreamingMarkdownBody text={text.slice(0, length)} />);
    // Of an element that was not the last one, nothing is replaced.
    expect([...children].slice(0, before.length), `${length} ${list}`).toEqual(before);
    expect(before.every((element) => element.isConnected)).toBe(true);
  }
  expect(view.container.querySelector('h3')).toBe(heading);
});

it('ends with the layout of the whole text', () => {
  const streamed = render(<StreamingMarkdownBody text={text} />);
  const whole = render(<MarkdownBody text={text} />);
  const html = ({ container }: typeof whole) =>
    container.firstElementChild?.innerHTML.replaceAll(/>\s+</g, '><');
  expect(html(streamed)).toBe(html(whole));
});

const changing = [
  'Causes:\n- **one**, see [the *page*](https://example.com/a_b)\n- `two`',
  '- [x] rotate\n- [ ] look at 1.5 GB',
  '| Path | Used |\n|:--|---|\n| /var | **98** % |\n| / | 3 |',
  '**Bold** begins a paragraph, and ~~this~~ ends it.',
  '1. first\n2. second',
  '> quoted **text**',
  '```json\n{"a": "**b"}\n```',
  '### Next\n\nText:\n| a | b |\n|---|---|\n| 1 | 2 |',
].join('\n\n');

it('never shows signs of Markdown whose end is still to come, and never changes the kind of a part', () => {
  const view = render(<StreamingMarkdownBody text="" />);
  const box = view.container.firstElementChild as Element;
  let kinds: readonly string[] = [];
  let letters = 0;
  for (let length = 1; length <= changing.length; length += 1) {
    view.rerender(<StreamingMarkdownBody text={changing.slice(0, length)} />);
    const prose = box.cloneNode(true) as Element;
    for (const code of prose.querySelectorAll('pre')) code.remove();
    const at = changing.slice(Math.max(0, length - 20), length);
    expect(prose.textContent, `${at}`).not.toMatch(/\*|`|~~|\]\(|https|^\s*[-#>|]|\|/m);
    expect(box.querySelector('pre')?.textContent ?? '', `${at}`).not.toContain('`');
    const now = Array.from(box.children, ({ tagName }) => tagName);
    expect(now.slice(0, kinds.length), `${at}`).toEqual(kinds);
    kinds = now;
    const shown = (box.textContent ?? '').replaceAll(/[^\p{L}\p{N}]/gu, '').length;
    expect(shown, `${at}`).toBeGreaterThanOrEqual(letters);
    letters = shown;
  }
});
