import { expect, it } from 'vitest';
import { explanationOf, isModelError, readableError } from './failure';

it.each([
  [
    'stage "investigation" failed: Ops failed: the model could not be used: HTTP 401 invalid_api_key',
    'The model did not answer: HTTP 401 invalid_api_key',
    true,
  ],
  [
    'stage "looks" failed: Ops failed: the provider team could not be used: the environment variable TEAM_KEY is not set; see docs/operating.md#keys-of-models',
    'Provider team failed: the environment variable TEAM_KEY is not set',
    true,
  ],
  ['stage "looks" timed_out: Ops timed_out: no answer within 2m', 'No answer within 2m', false],
  ['stage "looks" failed: 2 of 2 agents did not end well', '2 of 2 agents did not end well', false],
  ['the session ran longer than 15m', 'The session ran longer than 15m', false],
])('%s', (error, expected, isModel) => {
  expect(readableError(error)).toBe(expected);
  expect(isModelError(error)).toBe(isModel);
});

it.each([
  ['the key is not valid; see docs/operating.md#keys-of-models', 'operating', 'keys-of-models'],
  ['no cluster; see docs/install/helm.md', 'install/helm', ''],
])('%s', (error, page, anchor) => {
  expect(explanationOf(error)).toEqual({ page, anchor });
  expect(explanationOf('see the log of ops')).toBeNull();
});
