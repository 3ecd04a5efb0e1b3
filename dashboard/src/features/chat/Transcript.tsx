import { Box } from '@mui/material';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import { CheckedMarkdown } from '../../ui/markdown/CheckedMarkdown';
import { Secondary } from '../../ui/layout/Secondary';
import { StreamingMarkdown } from '../../ui/markdown/StreamingMarkdown';
import { useChecks } from '../../ui/claims/checks';
import { plainList, preWrap } from '../../ui/theme/tokens';
import { toneColors } from '../../ui/badges/tones';
import type { Exchange } from './exchanges';

/** Pixels from the end within which the end is kept in view. */
const NEAR_END_PX = 60;

/** Characters: a longer question would leave no room for its answer, and is scrolled by itself. */
const MAX_WHOLE = 200;

interface TranscriptProps {
  readonly exchanges: readonly Exchange[];
}

/** The questions with their answers, of which the last one may still stream. */
export function Transcript({ exchanges }: TranscriptProps) {
  const list = useRef<HTMLOListElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (atEnd.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  });
  if (exchanges.length === 0) return null;
  return (
    <Box
      component="ol"
      ref={list}
      aria-label="Questions and answers"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
      tabIndex={0}
      data-testid="chat-transcript"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
      sx={{
        ...plainList,
        maxHeight: '45vh',
        overflowX: 'hidden',
        overflowY: 'auto',
        display: 'grid',
        // As wide as the panel: a long line scrolls in its block, and links beside it stay in view.
        gridTemplateColumns: 'minmax(0, 1fr)',
        gap: 1,
        mb: 1.5,
      }}
    >
      {exchanges.map((exchange) => (
        <li key={exchange.id}>
          <Part label="Question" asked long={exchange.question.length > MAX_WHOLE}>
            <Box dir="auto" sx={preWrap}>
              {showBidiControls(exchange.question)}
            </Box>
          </Part>
          <Part label="Answer">
            <Answer exchange={exchange} />
          </Part>
        </li>
      ))}
    </Box>
  );
}

interface PartProps {
  readonly label: string;
  /** A question, which stays in view while its answer is scrolled, or grows. */
  readonly asked?: boolean;
  readonly long?: boolean;
  readonly children: ReactNode;
}

function Part({ label, asked = false, long = false, children }: PartProps) {
  return (
    <Box
      role="group"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
      tabIndex={long ? 0 : undefined}
      sx={{
        ...(asked ? { ...toneColors('info'), position: 'sticky', top: 0, zIndex: 1 } : {}),
        ...(long ? { maxHeight: '6em', overflowY: 'auto' } : {}),
        borderRadius: 1.5,
        px: asked ? 1.25 : 0,
        py: 0.75,
        fontSize: '0.875rem',
      }}
    >
      {children}
    </Box>
  );
}

function Answer({ exchange }: { readonly exchange: Exchange }) {
  const { answer, state, writer } = exchange;
  const check = useChecks().ofEvent(answer?.id ?? '');
  if (answer === null) return <Secondary>{state}</Secondary>;
  return (
    <>
      {answer.status === 'streaming' ? (
        <StreamingMarkdown text={answer.content} />
      ) : (
        <CheckedMarkdown text={answer.content} check={check} />
      )}
      <Secondary size="small" sx={{ mt: 0.5 }}>
        {/* An answer by rules says so itself. */}
        {writer === null || writer === 'rules' ? '' : 'AI-generated. '}Verify before you act.
      </Secondary>
    </>
  );
}
