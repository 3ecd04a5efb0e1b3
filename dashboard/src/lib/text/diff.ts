/** Finds what two sequences of texts have in common, in order. */

/** A run of texts that both have, or of those that differ between two such runs. */
export type Run =
  | { readonly same: true; readonly texts: readonly string[] }
  | { readonly same: false; readonly first: readonly string[]; readonly second: readonly string[] };

/** Cells of the table of the longest common subsequence; of larger texts only the beginning and the end are matched. */
const MAX_CELLS = 1_000_000;

export function diff(first: readonly string[], second: readonly string[]): readonly Run[] {
  const begin = commonBeginning(first, second);
  const rest = [first.slice(begin), second.slice(begin)] as const;
  const end = commonBeginning(rest[0].toReversed(), rest[1].toReversed());
  const middle = diffMiddle(
    rest[0].slice(0, rest[0].length - end),
    rest[1].slice(0, rest[1].length - end),
  );
  return [
    ...sameRun(first.slice(0, begin)),
    ...middle,
    ...sameRun(end === 0 ? [] : first.slice(-end)),
  ];
}

function commonBeginning(first: readonly string[], second: readonly string[]): number {
  const differs = first.findIndex((text, index) => text !== second[index]);
  return differs < 0 ? first.length : differs;
}

function sameRun(texts: readonly string[]): readonly Run[] {
  return texts.length === 0 ? [] : [{ same: true, texts }];
}

function changedRun(first: readonly string[], second: readonly string[]): readonly Run[] {
  return first.length + second.length === 0 ? [] : [{ same: false, first, second }];
}

function diffMiddle(first: readonly string[], second: readonly string[]): readonly Run[] {
  if (first.length * second.length > MAX_CELLS) return changedRun(first, second);
  const lengths = commonLengths(first, second);
  const runs: Run[] = [];
  let one = 0;
  let other = 0;
  while (one < first.length || other < second.length) {
    const from = one;
    while (one < first.length && other < second.length && first[one] === second[other]) {
      one += 1;
      other += 1;
    }
    runs.push(...sameRun(first.slice(from, one)));
    const [changedOne, changedOther] = [one, other];
    while (one < first.length || other < second.length) {
      if (one < first.length && first[one] === second[other]) break;
      const skipFirst = lengthAt(lengths, one + 1, other) >= lengthAt(lengths, one, other + 1);
      if (one < first.length && (skipFirst || other >= second.length)) one += 1;
      else other += 1;
    }
    runs.push(...changedRun(first.slice(changedOne, one), second.slice(changedOther, other)));
  }
  return runs;
}

function lengthAt(lengths: readonly (readonly number[])[], one: number, other: number): number {
  return lengths[one]?.[other] ?? 0;
}

/** The length of the longest common subsequence from each pair of places to the ends. */
function commonLengths(first: readonly string[], second: readonly string[]): number[][] {
  const lengths = first.map(() => Array.from({ length: second.length }, () => 0));
  for (let one = first.length - 1; one >= 0; one -= 1) {
    for (let other = second.length - 1; other >= 0; other -= 1) {
      const row = lengths[one];
      if (row === undefined) continue;
      row[other] =
        first[one] === second[other]
          ? 1 + lengthAt(lengths, one + 1, other + 1)
          : Math.max(lengthAt(lengths, one + 1, other), lengthAt(lengths, one, other + 1));
    }
  }
  return lengths;
}
