/** The values that are not null. */
export const present = <T>(values: readonly (T | null)[]): readonly T[] =>
  values.filter((value) => value !== null);
