import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../../api/errors';
import { keys } from '../../../api/keys';
import { forEachBounded } from '../../../lib/bounded';

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
  readonly selected: ReadonlySet<string>;
  readonly toggle: (session: string) => void;
  readonly select: (sessions: readonly string[]) => void;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly busy: boolean;
  readonly start: (action: BulkAction) => Promise<void>;
}

/**
 * Selected sessions and what became of actions on them. Those whose action failed stay selected, to try again. The selection
 * ends when `scope` changes, which says what is listed.
 */
export function useBulk(scope = ''): Bulk {
  const client = useQueryClient();
  const [lastScope, setLastScope] = useState(scope);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [busy, setBusy] = useState(false);
  if (scope !== lastScope) {
    setLastScope(scope);
    setSelected(new Set());
    setOutcomes(new Map());
  }
  const report = (session: string, outcome: Outcome) =>
    setOutcomes((current) => new Map(current).set(session, outcome));

  async function runOne(action: BulkAction, session: string): Promise<void> {
    report(session, { state: 'running', text: action.running });
    try {
      report(session, { state: 'done', ...(await action.run(session)) });
      setSelected((current) => new Set([...current].filter((id) => id !== session)));
    } catch (error) {
      report(session, { state: 'failed', text: asApiError(error).message });
    }
  }

  async function start(action: BulkAction): Promise<void> {
    setBusy(true);
    setOutcomes(new Map());
    await forEachBounded([...selected], AT_ONCE, (session) => runOne(action, session));
    setBusy(false);
    await client.invalidateQueries({ queryKey: keys.lists });
  }

  return {
    selected,
    toggle: (session) =>
      setSelected((current) =>
        current.has(session)
          ? new Set([...current].filter((id) => id !== session))
          : new Set([...current, session]),
      ),
    select: (sessions) => setSelected(new Set(sessions)),
    outcomes,
    busy,
    start,
  };
}

/** Whether something is selected, or was, and its outcomes are shown. */
export function isSelecting({ selected, outcomes }: Bulk): boolean {
  return selected.size > 0 || outcomes.size > 0;
}
