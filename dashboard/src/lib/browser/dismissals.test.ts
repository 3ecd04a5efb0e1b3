import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { dismiss, forgetEnded, useDismissed } from './dismissals';

it('keeps what was dismissed, in this browser', () => {
  const { result } = renderHook(useDismissed);
  act(() => dismiss(['warning:a', 'warning:b']));
  act(() => dismiss(['model:x', 'warning:a']));
  expect([...result.current]).toEqual(['warning:a', 'warning:b', 'model:x']);
  const { result: reloaded } = renderHook(useDismissed);
  expect([...reloaded.current]).toEqual([...result.current]);
});

it('shows a notice again that ended and came back', () => {
  act(() => dismiss(['warning:a', 'warning:b', 'model:x']));
  const { result } = renderHook(useDismissed);
  act(() => forgetEnded('warning:', ['warning:b']));
  expect([...result.current]).toEqual(['warning:b', 'model:x']);
});

it('keeps the newest hundred', () => {
  act(() => dismiss(Array.from({ length: 120 }, (_, index) => `warning:${index}`)));
  const { result } = renderHook(useDismissed);
  expect(result.current.size).toBe(100);
  expect(result.current.has('warning:119')).toBe(true);
});

it('dismisses nothing when the stored value is not a list', () => {
  localStorage.setItem('tarsy-dismissed', '{"a":1}');
  expect(renderHook(useDismissed).result.current.size).toBe(0);
});
