import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { asApiError } from '../../../api/errors';
import { keys } from '../../../api/keys';
import { forEachBounded } from '../../../lib/values/bounded';

/** Requests at a time: few enough to stay below the limits of the API for one sender. */
const AT_ONCE = 4;

/** What became of an action on one session. */
export interface Outcome {
  readonly state: 'running' | 'done' | 'failed';
  readonly text: string;
  /** The session that it created. */
  readonly created?: string;
}

export interface BulkAction {
  /** Shown while it runs, such as `Cancelling…`. */
  readonly running: string;
  readonly run: (session: string) => Promise<Omit<Outcome, 'state'>>;
}

export interface Bulk {
  /** The selected sessions that are listed: nothing happens to a session that is not shown. */
  readonly selected: ReadonlySet<string>;
  /** Selects a session or ends its selection; with `range`, also those between it and the last one that was toggled. */
  readonly toggle: (session: string, range: boolean) => void;
  readonly select: (sessions: readonly string[]) => void;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The sessions whose action failed and that are not listed, so that no row shows why. */
  readonly failedUnlisted: readonly string[];
  /** Ends the selection, and forgets the outcomes. */
  readonly clear: () => void;
  readonly busy: boolean;
  readonly start: (action: BulkAction) => Promise<void>;
}

/**
 * Selected sessions among those that are listed, and what became of actions on them. Those whose action failed stay selected,
 * to try again. The selection ends when `scope` changes, which says what is listed.
 */
export function useBulk(listed: readonly string[], scope = ''): Bulk {
  const client = useQueryClient();
  const [lastScope, setLastScope] = useState(scope);
  const lastToggled = useRef<string | null>(null);
  const [marked, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [busy, setBusy] = useState(false);
  const clear = () => {
    setSelected(new Set());
    setOutcomes(new Map());
  };
  if (scope !== lastScope) {
    setLastScope(scope);
    clear();
  }
  const selected = new Set(listed.filter((id) => marked.has(id)));
  const report = (session: string, outcome: Outcome) =>
    setOutcomes((current) => new Map(current).set(session, outcome));

  async function runOne(action: BulkAction, session: string): Promise<void> {
    try {
      report(session, { state: 'done', ...(await action.run(session)) });
      setSelected((current) => new Set([...current].filter((id) => id !== session)));
    } catch (error) {
      report(session, { state: 'failed', text: asApiError(error).message });
    }
  }

  async function start(action: BulkAction): Promise<void> {
    setBusy(true);
    const running: Outcome = { state: 'running', text: action.running };
    setOutcomes(new Map([...selected].map((session) => [session, running])));
    await forEachBounded([...selected], AT_ONCE, (session) => runOne(action, session));
    setBusy(false);
    await client.invalidateQueries({ queryKey: keys.lists });
  }

  function toggle(session: string, range: boolean): void {
    const changed = range ? between(listed, lastToggled.current, session) : [session];
    lastToggled.current = session;
    const others = [...selected].filter((id) => !changed.includes(id));
    setSelected(new Set(selected.has(session) ? others : [...others, ...changed]));
  }

  return {
    selected,
    toggle,
    select: (sessions) => setSelected(new Set(sessions)),
    outcomes,
    failedUnlisted: [...outcomes]
      .filter(([session, { state }]) => state === 'failed' && !listed.includes(session))
      .map(([session]) => session),
    clear,
    busy,
    start,
  };
}

/** The listed sessions from one to another, both included; the latter alone if the former is not listed. */
function between(listed: readonly string[], from: string | null, to: string): readonly string[] {
  const ends = [listed.indexOf(from ?? to), listed.indexOf(to)];
  if (ends.includes(-1)) return [to];
  return listed.slice(Math.min(...ends), Math.max(...ends) + 1);
}

/** Whether something is selected, or was, and its outcomes are shown. */
export function isSelecting({ selected, outcomes }: Bulk): boolean {
  return selected.size > 0 || outcomes.size > 0;
}
