/** Words for what came again. */
import type { RecurringCause } from '../../api/prevention';

/** `out_of_memory` as people read it. */
export function words(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `Pod cart in namespace shop`; empty if nothing is named. */
export function describeObject({ object_kind: kind, object, namespace }: RecurringCause): string {
  const named = [kind, object].filter((part) => part !== '').join(' ');
  return named === '' || namespace === null ? named : `${named} in namespace ${namespace}`;
}

/** `20 %` of some calls; a dash of none. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`;
}
