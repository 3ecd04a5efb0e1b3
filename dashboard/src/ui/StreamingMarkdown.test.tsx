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
