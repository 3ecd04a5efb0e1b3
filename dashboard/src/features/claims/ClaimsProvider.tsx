import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { fitsText, type ClaimCheck } from '../../lib/session/claims';
import { useFallbackInterval } from '../../live/LiveProvider';
import type { TimelineItem } from '../../live/reduce';
import { ChecksContext, type Checks } from '../../ui/claims/checks';
import { claimsQuery } from './queries';

interface ClaimsProviderProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
  readonly children: ReactNode;
}

const none: readonly ClaimCheck[] = [];
/** Texts of which the last is the session's final analysis. */
const analyses: ReadonlySet<string> = new Set(['final_analysis', 'synthesis']);

/** Gives the texts of the page their checks. */
export function ClaimsProvider({ session, items, children }: ClaimsProviderProps) {
  const refetchInterval = useFallbackInterval(5000);
  const { data = none } = useQuery({ ...claimsQuery(session.id), refetchInterval });
  const [unverifiedOnly, setUnverifiedOnly] = useState(false);
  const { final_analysis, executive_summary } = session;
  const written = useMemo(() => eventsOf(items, final_analysis), [items, final_analysis]);
  const checks = useMemo<Checks>(() => {
    const byEvent = new Map<string, ClaimCheck>(
      data.flatMap((check) =>
        check.timeline_event_id === null ? [] : [[check.timeline_event_id, check] as const],
      ),
    );
    const summary = data.findLast(({ text }) => text === 'executive_summary');
    // Until the timeline is loaded, the last check that fits: nothing moves when it comes.
    const analysis =
      items.length === 0
        ? data.findLast(({ text }) => analyses.has(text))
        : byEvent.get(written.findLast((id) => byEvent.has(id)) ?? '');
    return {
      ofEvent: (id) => byEvent.get(id),
      analysis: fitting(analysis, final_analysis),
      summary: fitting(summary, executive_summary),
      unverifiedOnly,
      setUnverifiedOnly,
    };
  }, [data, items, written, final_analysis, executive_summary, unverifiedOnly]);
  return <ChecksContext value={checks}>{children}</ChecksContext>;
}

/** The events with this text: the response of the agent, and the analysis of its stage. */
function eventsOf(items: readonly TimelineItem[], text: string | null): readonly string[] {
  if (text === null) return [];
  return items.filter(({ content }) => content === text).map(({ id }) => id);
}

function fitting(check: ClaimCheck | undefined, text: string | null): ClaimCheck | undefined {
  return check !== undefined && text !== null && fitsText(check, text) ? check : undefined;
}
