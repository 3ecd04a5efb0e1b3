import { Box, Link, List, ListItem } from '@mui/material';
import { Fragment, type ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';
import type { SearchHit, SearchMatch } from '../../api/search';
import { alertTitle } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import { humanize } from '../../lib/text/format';
import { pages, stepAnchor } from '../../lib/browser/paths';
import { AlertFacts } from '../../ui/findings/AlertFacts';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusChip } from '../../ui/badges/StatusChip';
import { RelativeTime } from '../../ui/numbers/times';

export function SearchHits({ hits }: { readonly hits: readonly SearchHit[] }) {
  return (
    <List disablePadding aria-label="Search results" data-testid="search-hits">
      {hits.map((hit) => (
        <ListItem
          key={hit.session.id}
          disableGutters
          divider
          sx={{ display: 'block', py: 1.5 }}
          data-testid="search-hit"
        >
          <Hit hit={hit} />
        </ListItem>
      ))}
    </List>
  );
}

function Hit({ hit: { session, matches } }: { readonly hit: SearchHit }) {
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        <StatusChip status={session.status} />
        <Link
          component={RouterLink}
          to={pages.session(session.id)}
          underline="hover"
          data-step
          sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}
        >
          <bdi>{showBidiControls(alertTitle(session))}</bdi>
        </Link>
        <AlertFacts alert={session} />
        <Secondary component="span">
          <RelativeTime at={session.created_at} updateEveryMs={30_000} />
        </Secondary>
      </Box>
      {matches.map((match, index) => (
        <Match key={index} session={session.id} match={match} />
      ))}
    </>
  );
}

function Match({ session, match }: { readonly session: string; readonly match: SearchMatch }) {
  return (
    <Box sx={{ mt: 0.75, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
      <Link component={RouterLink} to={placeOf(session, match)} data-testid="search-match">
        {describe(match)}
      </Link>{' '}
      <Box component="span" dir="auto" sx={{ color: 'text.secondary' }}>
        {marked(match)}
      </Box>
    </Box>
  );
}

/** The step; without one the tool call, else the session. */
function placeOf(session: string, match: SearchMatch): string {
  if (match.timeline_event_id !== null) {
    return `${pages.session(session)}#${stepAnchor(match.timeline_event_id)}`;
  }
  if (match.call_number !== null) return `${pages.session(session)}#call-${match.call_number}`;
  return pages.session(session);
}

function describe({ kind, call_number: call }: SearchMatch): string {
  return call === null ? humanize(kind) : `Tool call ${call}`;
}

function marked({ excerpt, ranges }: SearchMatch): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const range of ranges) {
    parts.push(
      <Fragment key={range.start}>
        {showBidiControls(excerpt.slice(end, range.start))}
        <mark>{showBidiControls(excerpt.slice(range.start, range.end))}</mark>
      </Fragment>,
    );
    end = range.end;
  }
  return [...parts, showBidiControls(excerpt.slice(end))];
}
