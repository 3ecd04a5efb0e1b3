import { expect, it } from 'vitest';
import { layered, MAX_NAMES } from './layers';

const drawn = (...arrows: readonly string[]) =>
  layered(
    arrows.map((arrow) => {
      const [from = '', to = ''] = arrow.split('>');
      return { from, to };
    }),
  ).map(({ name, layer, place }) => `${name}${layer}${place}`);

it('puts each name below all that lead to it', () => {
  expect(drawn('a>b', 'b>c', 'a>c', 'd>c')).toEqual(['a00', 'd01', 'b10', 'c20']);
});

it('draws circles and names that lead to themselves', () => {
  expect(drawn('a>b', 'b>a', 'b>b')).toEqual(['a00', 'b10']);
});

it('keeps names near to those above them', () => {
  expect(drawn('a>x', 'b>y', 'b>z', 'a>w')).toEqual(['a00', 'b01', 'x10', 'w11', 'y12', 'z13']);
});

it('leaves out names that would not be readable', () => {
  const many = Array.from({ length: MAX_NAMES + 20 }, (_, index) => `hub>n${index}`);
  expect(drawn(...many)).toHaveLength(MAX_NAMES);
  expect(layered([])).toEqual([]);
});
