/** Reads the top-level arguments of a tool from its JSON Schema. */
import { z } from '../../api/zod';

export interface SchemaField {
  readonly name: string;
  /** The JSON Schema type, or the values of a short enum. */
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
}

function optional<S extends z.ZodMiniType>(schema: S) {
  return z.catch(z.optional(schema), undefined);
}

const property = z.object({
  type: optional(z.union([z.string(), z.array(z.string())])),
  description: optional(z.string()),
  enum: optional(z.array(z.unknown())),
});

const schema = z.object({
  properties: optional(z.record(z.string(), z.unknown())),
  required: optional(z.array(z.string())),
});

export function schemaFields(input: unknown): readonly SchemaField[] {
  const parsed = schema.safeParse(input);
  if (!parsed.success) return [];
  const required = new Set(parsed.data.required);
  return Object.entries(parsed.data.properties ?? {}).map(([name, value]) => {
    const result = property.safeParse(value);
    const details = result.success ? result.data : {};
    return {
      name,
      type: typeLabel(details),
      description: details.description ?? '',
      required: required.has(name),
    };
  });
}

function typeLabel({ type, enum: values }: Partial<z.infer<typeof property>>): string {
  if (values !== undefined && values.length > 0 && values.length <= 8) {
    return values.map((value) => JSON.stringify(value)).join(' or ');
  }
  if (Array.isArray(type)) return type.join(' or ');
  return type ?? 'any value';
}
