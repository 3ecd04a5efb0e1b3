import { expect, it } from 'vitest';
import { showBidiControls } from './bidi';

it('shows characters that reorder text, and leaves text from right to left as it is', () => {
  expect(showBidiControls('rm \u202egpj.exe')).toBe('rm [U+202E]gpj.exe');
  expect(showBidiControls('\u2066a\u2069')).toBe('[U+2066]a[U+2069]');
  expect(showBidiControls('שלום')).toBe('שלום');
});
