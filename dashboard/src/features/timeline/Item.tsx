import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { formatClock, formatDateTime, formatDuration } from '../../lib/time';
import { toneText } from '../../ui/tones';
import type { Tone } from '../../lib/status';
import { readMeta } from './itemMeta';

interface ItemProps {
  readonly item: TimelineItem;
  readonly icon: ReactNode;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly tone?: Tone;
  readonly extra?: ReactNode;
  readonly dimmed?: boolean;
}

/** The frame of every timeline item: sign on the rail, title, time, content. */
export function Item({ item, icon, title, children, tone = 'neutral', extra, dimmed }: ItemProps) {
  return (
    <Box
      component="li"
      data-testid="timeline-item"
      data-event-id={item.id}
      data-event-type={item.event_type}
      data-status={item.status}
      sx={{
        display: 'grid',
        gridTemplateColumns: '30px minmax(0, 1fr)',
        columnGap: 1.25,
        position: 'relative',
        pb: 1.75,
        '&:not(:last-of-type)::before': {
          content: '""',
          position: 'absolute',
          left: 14,
          top: 32,
          bottom: 2,
          width: 2,
          bgcolor: 'divider',
        },
      }}
    >
      <RailSign tone={tone}>{icon}</RailSign>
      <Box sx={{ minWidth: 0 }}>
        <Box
          sx={{
            display: 'flex',
            flexWrap: 'wrap',
            alignItems: 'center',
            columnGap: 1,
            minHeight: 30,
          }}
        >
          <Typography component="div" sx={{ fontWeight: 600, fontSize: '0.875rem', minWidth: 0 }}>
            {title}
          </Typography>
          {extra}
          <ItemTime item={item} />
        </Box>
        <Box sx={dimmed ? { color: 'text.secondary' } : {}}>{children}</Box>
        <Interrupted item={item} />
      </Box>
    </Box>
  );
}

function RailSign({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <Box
      aria-hidden
      sx={{
        display: 'grid',
        placeItems: 'center',
        width: 30,
        height: 30,
        borderRadius: '50%',
        color: toneText(tone),
        bgcolor: `var(--tarsy-${tone}-bg)`,
        '& svg': { fontSize: 17 },
      }}
    >
      {children}
    </Box>
  );
}

function ItemTime({ item }: { readonly item: TimelineItem }) {
  const { durationMs } = readMeta(item);
  const took = durationMs !== null && durationMs >= 100 ? ` · ${formatDuration(durationMs)}` : '';
  return (
    <Typography
      component="span"
      sx={{
        ml: 'auto',
        color: 'text.secondary',
        fontSize: '0.75rem',
        fontVariantNumeric: 'tabular-nums',
        whiteSpace: 'nowrap',
      }}
    >
      <time dateTime={item.created_at} title={formatDateTime(item.created_at)}>
        {formatClock(item.created_at)}
      </time>
      {took}
    </Typography>
  );
}

function Interrupted({ item }: { readonly item: TimelineItem }) {
  if (!readMeta(item).interrupted) return null;
  return (
    <Typography
      component="p"
      data-testid="interrupted"
      sx={{ color: toneText('warning'), fontSize: '0.8125rem', fontWeight: 600, mt: 0.5 }}
    >
      Interrupted, continued by another worker
    </Typography>
  );
}
