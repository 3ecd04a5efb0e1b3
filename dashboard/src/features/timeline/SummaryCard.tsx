import { Box, Typography } from '@mui/material';
import { formatCount } from '../../lib/format';
import type { TimelineItem } from '../../live/reduce';
import { Markdown } from '../../ui/Markdown';
import { StreamingText } from '../../ui/StreamingText';
import { ReportIcon } from '../../ui/icons';
import { toneText } from '../../ui/tones';
import { readMeta } from './itemMeta';

const titles: Readonly<Record<string, string>> = {
  streaming: 'Summing up for the agent…',
  completed: 'Summary that the agent read',
};

/** What the agent read in place of a long result: the summary, and how much shorter it is. */
export function SummaryCard({ item }: { readonly item: TimelineItem }) {
  const meta = readMeta(item);
  const streaming = item.status === 'streaming';
  const written = [meta.backend, meta.model].filter((part) => part !== null && part !== '');
  return (
    <Box
      component="section"
      aria-label={`Summary of call ${meta.callNumber ?? ''}`}
      data-testid="summary-card"
      data-event-id={item.id}
      data-event-type={item.event_type}
      data-status={item.status}
      sx={{ borderTop: 1, borderColor: 'divider', mt: 1, pt: 1 }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1 }}>
        <ReportIcon sx={{ fontSize: 17, color: 'text.secondary' }} />
        <Typography component="p" sx={{ fontSize: '0.8125rem', fontWeight: 600 }}>
          {titles[item.status] ?? 'Summary'}
        </Typography>
        <Sizes original={meta.originalTokens} summary={meta.summaryTokens} />
        {written.length > 0 && (
          <Typography sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>
            by {written.join(' · ')}
          </Typography>
        )}
      </Box>
      <Box sx={{ fontSize: '0.8125rem', mt: 0.5 }}>
        {streaming ? (
          <StreamingText text={item.content} testId="streaming-text" />
        ) : item.status === 'completed' ? (
          <Markdown text={item.content} />
        ) : (
          <BrokenOff text={item.content} />
        )}
      </Box>
    </Box>
  );
}

function BrokenOff({ text }: { readonly text: string }) {
  return (
    <>
      <Typography sx={{ color: toneText('warning'), fontSize: '0.8125rem', fontWeight: 600 }}>
        It broke off; the agent did not read it.
      </Typography>
      {text !== '' && <Box sx={{ color: 'text.secondary', whiteSpace: 'pre-wrap' }}>{text}</Box>}
    </>
  );
}

interface SizesProps {
  readonly original: number | null;
  readonly summary: number | null;
}

function Sizes({ original, summary }: SizesProps) {
  if (original === null) return null;
  const to = summary === null ? '' : ` → ${formatCount(summary)}`;
  return (
    <Typography
      data-testid="summary-sizes"
      sx={{ fontSize: '0.75rem', color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}
    >
      {formatCount(original)}
      {to} tokens
    </Typography>
  );
}
