/** The arguments that a tool's JSON Schema names, as far as a table can tell them. */
import { z } from '../../api/zod';

export interface SchemaField {
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  readonly required: boolean;
}

const property = z.object({
  type: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  description: z.string().optional().catch(undefined),
  enum: z.array(z.unknown()).optional().catch(undefined),
});

const schema = z.object({
  properties: z.record(z.string(), z.unknown()).optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
});

export function schemaFields(input: unknown): readonly SchemaField[] {
  const read = schema.safeParse(input);
  if (!read.success) return [];
  const required = new Set(read.data.required);
  return Object.entries(read.data.properties ?? {}).map(([name, value]) => {
    const known = property.safeParse(value);
    const parts = known.success ? known.data : {};
    return {
      name,
      kind: kindOf(parts),
      description: parts.description ?? '',
      required: required.has(name),
    };
  });
}

function kindOf({ type, enum: values }: Partial<z.infer<typeof property>>): string {
  if (values !== undefined && values.length > 0 && values.length <= 8) {
    return values.map((value) => JSON.stringify(value)).join(' or ');
  }
  if (Array.isArray(type)) return type.join(' or ');
  return type ?? 'any value';
}
