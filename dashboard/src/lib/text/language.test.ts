import { expect, it } from 'vitest';
import { guessLanguage } from './language';

it.each([
  ['{"a": 1}', 'json'],
  ['{\n  "cut": [1, 2', 'json'],
  ['[{"a": 1}]', 'json'],
  ['[info] started', null],
  ['apiVersion: v1\nkind: Pod\nmetadata:\n  name: web', 'yaml'],
  ['2026-01-01T00:00:00Z started\n2026-01-01T00:00:01Z stopped', 'log'],
  ['Filesystem  Use%\n/dev/sda1   91%', null],
  ['plain: text', null],
  ['', null],
])('guesses the language of %j', (text, language) => {
  expect(guessLanguage(text)).toBe(language);
});
