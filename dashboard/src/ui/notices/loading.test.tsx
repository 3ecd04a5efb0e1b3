import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Markdown } from '../markdown/Markdown';
import { StreamingMarkdown } from '../markdown/StreamingMarkdown';

const text = 'Delete \u202Egolyadretsey';

it.each([
  ['a text', Markdown],
  ['a text that streams', StreamingMarkdown],
])('shows what reorders %s while its renderer is loaded', (_, Text) => {
  const { container } = render(<Text text={text} />);
  expect(container).toHaveTextContent('Delete [U+202E]golyadretsey');
  expect(container).not.toHaveTextContent('\u202E');
});
