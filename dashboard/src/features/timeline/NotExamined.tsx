import { Box, Link } from '@mui/material';
import { useMemo } from 'react';
import { NOT_EXAMINED_ID, stepAnchor } from '../../lib/browser/paths';
import { showBidiControls } from '../../lib/text/bidi';
import type { TimelineItem } from '../../live/reduce';
import type { Verdict } from '../../lib/session/verdict';
import { CallLink, CitedText } from '../../ui/markdown/citations';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Panel } from '../../ui/layout/Panel';
import { readUnexamined, type Unexamined } from './unexamined';

interface NotExaminedProps {
  readonly items: readonly TimelineItem[];
  /** What the verdict says was not examined. */
  readonly stated?: Verdict['not_examined'];
}

const nothing: Verdict['not_examined'] = [];

/** The gaps of an investigation, so that nobody reads a missing result as a good one. */
export function NotExamined({ items, stated = nothing }: NotExaminedProps) {
  const gaps = useMemo(() => readUnexamined(items), [items]);
  if (gaps.length + stated.length === 0) return null;
  return (
    <Panel title="Not examined" id={NOT_EXAMINED_ID} testId="not-examined">
      {stated.length > 0 && (
        <Box component="ul" dir="auto" sx={{ m: 0, pl: 3, fontSize: '0.8125rem' }}>
          {stated.map(({ what, why }, at) => (
            <li key={`${at}:${what}`}>
              <CitedText text={why === '' ? what : `${what}: ${why}`} />
            </li>
          ))}
        </Box>
      )}
      {gaps.length <= SHOWN_UNFOLDED ? (
        <GapList gaps={gaps} />
      ) : (
        <Disclosure
          summary={
            <Box component="span" sx={{ fontSize: '0.8125rem' }}>
              {summarize(gaps)}
            </Box>
          }
        >
          <GapList gaps={gaps} />
        </Disclosure>
      )}
    </Panel>
  );
}

/** More gaps are folded. */
const SHOWN_UNFOLDED = 3;

function GapList({ gaps }: { readonly gaps: readonly Unexamined[] }) {
  if (gaps.length === 0) return null;
  return (
    <Box component="ul" sx={{ m: 0, pl: 3, fontSize: '0.8125rem' }}>
      {gaps.map((gap) => (
        <li key={gap.id}>
          <Gap gap={gap} />
        </li>
      ))}
    </Box>
  );
}

function summarize(gaps: readonly Unexamined[]): string {
  const [first] = gaps;
  const rest = gaps.length - 1;
  return `${showBidiControls(first?.text ?? '')}${rest > 0 ? `, and ${rest} more` : ''}`;
}

function Gap({ gap }: { readonly gap: Unexamined }) {
  const text = showBidiControls(gap.text);
  if (gap.call === null) return <Link href={`#${stepAnchor(gap.id)}`}>{text}</Link>;
  return (
    <>
      <CallLink number={gap.call}>call {gap.call}</CallLink>: {text}
    </>
  );
}
