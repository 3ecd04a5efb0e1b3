import { render, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { CodeBlock } from './CodeBlock';
import MarkdownBody from '../markdown/MarkdownBody';

it('colors JSON without changing its text', async () => {
  const text = '{\n  "free": "<3 GiB>",\n  "ok": true\n}';
  render(<CodeBlock text={text} label="Result" testId="code" />);
  expect(screen.getByTestId('code').textContent).toBe(text);
  await waitFor(() =>
    expect(screen.getByTestId('code').querySelector('.hljs-attr')).not.toBeNull(),
  );
  expect(screen.getByTestId('code').textContent).toBe(text);
});

it('colors a code block in the language that its fence names', async () => {
  render(<MarkdownBody text={'```sql\nselect 1 from pods;\n```\n'} />);
  const code = screen.getByRole('group', { name: 'Code' });
  await waitFor(() => expect(code.querySelector('.hljs-keyword')).toHaveTextContent('select'));
  expect(code.textContent).toBe('select 1 from pods;\n');
});

it('leaves other languages and text as they are', async () => {
  render(<MarkdownBody text={'```cobol\nMOVE 1 TO A.\n```\n\n```yaml\na: 1\n```\n'} />);
  const [other, known] = screen.getAllByRole('group', { name: 'Code' });
  await waitFor(() => expect(known?.querySelector('.hljs-attr')).not.toBeNull());
  expect(other?.textContent).toBe('MOVE 1 TO A.\n');
  expect(other?.querySelector('span')).toBeNull();
});

it('colors the level of a log, and nothing else of it', async () => {
  const text = '2026-11-26T17:39:52Z ERROR 5 pods\n2026-11-26T17:39:53Z INFO "ready"\n';
  render(<CodeBlock text={text} label="Result" testId="code" />);
  const code = screen.getByTestId('code');
  await waitFor(() => expect(code.querySelector('.hljs-keyword')).toHaveTextContent('ERROR'));
  expect(code.querySelectorAll('[class^="hljs-"]')).toHaveLength(1);
  expect(code.textContent).toBe(text);
});
