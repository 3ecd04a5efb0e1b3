import { describe, expect, it } from 'vitest';
import { diff } from './diff';

const letters = (text: string) => text.split('');

describe('a diff', () => {
  it('separates what both have from what differs', () => {
    expect(diff(letters('abcxe'), letters('abyze'))).toEqual([
      { same: true, texts: ['a', 'b'] },
      { same: false, first: ['c', 'x'], second: ['y', 'z'] },
      { same: true, texts: ['e'] },
    ]);
  });

  it('finds common parts between changes', () => {
    expect(diff(letters('1ab2'), letters('3ab4'))).toEqual([
      { same: false, first: ['1'], second: ['3'] },
      { same: true, texts: ['a', 'b'] },
      { same: false, first: ['2'], second: ['4'] },
    ]);
  });

  it('of equal and of empty texts has one run or none', () => {
    expect(diff(letters('ab'), letters('ab'))).toEqual([{ same: true, texts: ['a', 'b'] }]);
    expect(diff([], [])).toEqual([]);
    expect(diff([], ['a'])).toEqual([{ same: false, first: [], second: ['a'] }]);
    expect(diff(['a', 'a'], ['a'])).toEqual([
      { same: true, texts: ['a'] },
      { same: false, first: ['a'], second: [] },
    ]);
  });

  it('loses nothing and invents nothing', () => {
    const words = ['aabbab', 'babba', 'bbbaaab', '', 'abababab', 'aaa'];
    for (const first of words) {
      for (const second of words) {
        const runs = diff(letters(first), letters(second));
        const one = runs.flatMap((run) => (run.same ? run.texts : run.first)).join('');
        const other = runs.flatMap((run) => (run.same ? run.texts : run.second)).join('');
        expect([one, other]).toEqual([first, second]);
      }
    }
  });
});
