import type { Service } from '../../api/system';

/**
 * How many of the services that ran before have a successor that runs with the files of this fingerprint. A service may
 * still be there beside its successor: its work may take longer. One of api-gateway counts once it is gone, because it would
 * answer with the files of before.
 */
export function countSuccessors(
  before: readonly Service[],
  now: readonly Service[],
  configHash: string,
): number {
  const known = new Set(before.map(nameOf));
  const left = new Map<string, number>();
  const there = new Set(now.map(nameOf));
  for (const one of before) {
    if (one.service === 'api-gateway' && there.has(nameOf(one))) continue;
    left.set(one.service, (left.get(one.service) ?? 0) + 1);
  }
  let successors = 0;
  for (const one of now) {
    const hasFiles = one.config_hash === '' || one.config_hash === configHash;
    const wanted = left.get(one.service) ?? 0;
    if (known.has(nameOf(one)) || !hasFiles || wanted === 0) continue;
    left.set(one.service, wanted - 1);
    successors += 1;
  }
  return successors;
}

function nameOf({ service, instance }: Service): string {
  return `${service}/${instance}`;
}
