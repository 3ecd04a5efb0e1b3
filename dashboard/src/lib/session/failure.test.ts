import { expect, it } from 'vitest';
import { explanationOf, failureSentences, happened, whyFailed } from './failure';

const refused = {
  code: 'credentials',
  reason: 'the environment variable TEAM_KEY is not set',
  stage: 'looks',
  agent: 'Ops',
  provider: 'team',
  remedy: 'Set TEAM_KEY of llm-service to a valid key, and submit the alert again.',
  document: 'operating.md#keys-of-models',
};

it('a failure is said with its provider, and with what to do', () => {
  const failing = { failure: refused, error_message: 'stage "looks" failed: Ops failed: no key' };
  expect(whyFailed(failing)).toBe(
    'Provider team failed: The environment variable TEAM_KEY is not set',
  );
  expect(failureSentences(failing)).toBe(
    'Provider team failed: The environment variable TEAM_KEY is not set. Set TEAM_KEY of llm-service to a valid key, and submit the alert again.',
  );
  expect(happened({ ...refused, provider: null, reason: 'it ran out of time' })).toBe(
    'It ran out of time',
  );
});

it('a record without facts has its sentence, and one without a failure has none', () => {
  const error = 'stage "looks" failed: no answer';
  expect(failureSentences({ failure: null, error_message: error })).toBe(
    'Stage "looks" failed: no answer',
  );
  expect(whyFailed({ failure: null, error_message: null })).toBeNull();
});

it('a document is a page with its heading', () => {
  expect(explanationOf(refused)).toEqual({ page: 'operating', anchor: 'keys-of-models' });
  expect(explanationOf({ ...refused, document: 'install/helm.md' })).toEqual({
    page: 'install/helm',
    anchor: '',
  });
  expect(explanationOf({ ...refused, document: null })).toBeNull();
});
