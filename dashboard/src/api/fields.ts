/** Lenient zod fields: a missing value and null are read the same way. */
import { z } from './zod';

export const text = z.string();
/** A field that may be missing or null, with its default. */
export function withDefault<S extends z.ZodMiniType, D>(schema: S, fallback: D) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? fallback),
  );
}

/** A field that is null when it is missing, and when it cannot be read. */
export function orNull<S extends z.ZodMiniType>(schema: S) {
  return withDefault(z.catch(z.nullish(schema), null), null);
}

export const nullableText = withDefault(z.string(), null);
export const textOrEmpty = withDefault(z.string(), '');
export const nullableNumber = withDefault(z.number(), null);
export const count = withDefault(z.number(), 0);
export const flag = withDefault(z.boolean(), false);
export const metadata = withDefault(z.record(z.string(), z.unknown()), null);

/** A list that may be null: Go servers encode an empty slice as null. */
export function list<S extends z.ZodMiniType>(item: S) {
  return z.pipe(
    z.nullish(z.array(item)),
    z.transform((value): z.output<S>[] => value ?? []),
  );
}
