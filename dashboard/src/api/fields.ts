/** Lenient zod fields: a missing value and null are read the same way. */
import { z } from './zod';

export const text = z.string();
export const nullableText = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
export const textOrEmpty = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
export const nullableNumber = z
  .number()
  .nullish()
  .transform((value) => value ?? null);
export const count = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
export const metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? null);

/** A list that may be null: Go servers encode an empty slice as null. */
export function list<S extends z.ZodType>(item: S) {
  return z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);
}
