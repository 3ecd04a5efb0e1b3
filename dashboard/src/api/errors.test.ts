import { expect, it } from 'vitest';
import { fromProblem } from './errors';

it.each([
  [401, 'Your sign-in may have expired. Reload the page to sign in again.'],
  [429, 'TARSy is busy. Try again in a moment.'],
  [500, 'The log of api-gateway has the cause.'],
  [502, 'api-gateway does not answer. Check that it is running.'],
])('an error %i without a reason says what to do', (status, message) => {
  expect(fromProblem(status, null, null).message).toBe(message);
});

it('an error with a reason says that', () => {
  expect(fromProblem(500, { detail: 'It failed.' }, null).message).toBe('It failed.');
});
