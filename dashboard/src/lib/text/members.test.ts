import { describe, expect, it } from 'vitest';
import { membersOf } from './members';

describe('lines of results as people read them', () => {
  it.each([
    ['{"pid": 7, "name": "rustc", "up": true},', 'pid 7, name rustc, up true'],
    ['"machine_cpu": {"busy":98.8,"user":96.3},', 'machine_cpu (busy 98.8, user 96.3)'],
    ['{"pid":7,"name":"rustc","command":"/usr/bin/ru', 'pid 7, name rustc …'],
    ['"name": "a, b", "command": "x, y', 'name a, b …'],
  ])('shows %s by member', (line, expected) => {
    expect(membersOf(line)).toBe(expected);
  });

  it.each(['/var 100%', 'msg="it failed"', '"quoted" words', '{}', '{"cut', ''])(
    'shows %s as it is',
    (line) => {
      expect(membersOf(line)).toBeNull();
    },
  );
});
