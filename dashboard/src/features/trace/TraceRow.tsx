import { Box, Link, Skeleton } from '@mui/material';
import { lazy, memo, Suspense, useEffect, useRef } from 'react';
import { Link as RouterLink } from 'react-router';
import { callAnchor } from '../../lib/session/citations';
import { pages } from '../../lib/browser/paths';
import { Disclosure } from '../../ui/layout/Disclosure';
import { focusInView } from '../../ui/layout/scroll';
import { belowAppBar } from '../../ui/theme/tokens';
import { toneText } from '../../ui/badges/tones';
import { failed, type TraceEntry } from './entries';
import { LlmSummary, McpSummary } from './rowSummaries';

const LlmDetailView = lazy(async () => ({
  default: (await import('./LlmDetailView')).LlmDetailView,
}));
const McpDetailView = lazy(async () => ({
  default: (await import('./McpDetailView')).McpDetailView,
}));

interface TraceRowProps {
  /** Session id. */
  readonly session: string;
  readonly entry: TraceEntry;
  /** True when the fragment of the URL is the id of this entry. */
  readonly targeted: boolean;
}

/** A call in one line that expands to its request and response. */
export const TraceRow = memo(function TraceRow({ session, entry, targeted }: TraceRowProps) {
  const { kind, item } = entry;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    return targeted && row.current !== null ? focusInView(row.current) : undefined;
  }, [targeted]);
  return (
    <Box
      component="li"
      ref={row}
      id={item.id}
      tabIndex={-1}
      data-step
      data-testid="trace-row"
      data-kind={kind === 'llm' ? 'llm' : item.interaction_type}
      data-failed={failed(entry)}
      sx={rowStyles(entry, targeted)}
    >
      <Disclosure
        open={targeted}
        summary={
          entry.kind === 'llm' ? <LlmSummary entry={entry} /> : <McpSummary item={entry.item} />
        }
      >
        <Box sx={{ pl: { xs: 0, sm: 3.25 }, pb: 1 }}>
          <Links session={session} entry={entry} />
          <Suspense fallback={<Skeleton variant="rounded" height={96} />}>
            {kind === 'llm' ? (
              <LlmDetailView session={session} id={item.id} />
            ) : (
              <McpDetailView session={session} item={item} />
            )}
          </Suspense>
        </Box>
      </Disclosure>
    </Box>
  );
});

function rowStyles(entry: TraceEntry, targeted: boolean) {
  const tone = entry.kind === 'llm' ? 'info' : 'neutral';
  return {
    border: 1,
    borderColor: targeted ? 'primary.main' : 'divider',
    borderLeft: 3,
    borderLeftColor: toneText(failed(entry) ? 'error' : tone),
    borderRadius: 1,
    px: 1,
    mb: 0.75,
    scrollMarginTop: belowAppBar(18),
    outlineOffset: -2,
  };
}

function Links({ session, entry }: Omit<TraceRowProps, 'targeted'>) {
  const { kind, item } = entry;
  const number = kind === 'mcp' ? item.call_number : null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, fontSize: '0.8125rem', mb: 1 }}>
      {number !== null && (
        <Link component={RouterLink} to={`${pages.session(session)}#${callAnchor(number)}`}>
          Show call {number} in timeline
        </Link>
      )}
      <Link href={`#${item.id}`}>Link to this entry</Link>
    </Box>
  );
}
