import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Markdown } from './Markdown';
import { StreamingMarkdown } from './StreamingMarkdown';

const text = 'Delete \u202Egolyadretsey';

it.each([
  ['a text', <Markdown text={text} />],
  ['a text that streams', <StreamingMarkdown text={text} />],
])('shows what reorders %s while its renderer is loaded', (_, element) => {
  const { container } = render(element);
  expect(container).toHaveTextContent('Delete [U+202E]golyadretsey');
  expect(container).not.toHaveTextContent('\u202E');
});
