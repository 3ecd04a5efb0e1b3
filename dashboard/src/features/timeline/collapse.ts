/** Whether the steps of the timeline show their content or their titles alone. */
import { createContext, useContext, useState } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { isCall, useCallTarget, useLinkedStep } from './calls';

export interface Collapse {
  readonly all: boolean;
  /** Grows with each change, which ends what single steps differ in. */
  readonly version: number;
}

export const expanded: Collapse = { all: false, version: 0 };

export const CollapseContext = createContext<Collapse>(expanded);

export function toggleAll({ all, version }: Collapse): Collapse {
  return { all: !all, version: version + 1 };
}

/** Whether a step is collapsed. The target of a link is not, nor what still runs. */
export function useCollapsed(item: TimelineItem) {
  const { all, version } = useContext(CollapseContext);
  const step = useLinkedStep();
  const target = useCallTarget();
  const linked = step === item.id || (target !== null && isCall(item, target.number));
  const visit = linked ? (target?.visit ?? 0) : null;
  const [own, setOwn] = useState<{ collapsed: boolean; version: number; visit: number | null }>();
  const byDefault = all && !linked && item.status !== 'streaming';
  // What the user chose holds until all steps change, or a link leads here.
  const chosen = own?.version === version && (visit === null || own.visit === visit);
  const collapsed = chosen ? own.collapsed : byDefault;
  const toggle = () => setOwn({ collapsed: !collapsed, version, visit });
  // A single step is collapsed only after all were: until then a button for it would be in the way.
  return { collapsed, toggle: version === 0 ? null : toggle };
}
