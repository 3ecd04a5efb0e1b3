import { Box, Button, Typography } from '@mui/material';
import { useId, type ReactNode } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { stepAnchor } from '../../lib/browser/paths';
import { formatDuration } from '../../lib/time/time';
import { CopyButton } from '../../ui/text/CopyButton';
import { LinkIcon } from '../../ui/theme/icons';
import { Secondary } from '../../ui/layout/Secondary';
import { ClockTime } from '../../ui/numbers/times';
import { belowAppBar } from '../../ui/theme/tokens';
import { toneText } from '../../ui/badges/tones';
import type { Tone } from '../../lib/session/status';
import { useStepTarget } from './calls';
import { useCollapsed } from './collapse';
import { readMeta } from './itemMeta';

interface ItemProps {
  readonly item: TimelineItem;
  readonly icon: ReactNode;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly tone?: Tone;
  /** Shown after the title. */
  readonly extra?: ReactNode;
  readonly dimmed?: boolean;
}

/** A grid of icon and content; a vertical line connects the icons of consecutive items. */
const itemStyles = {
  display: 'grid',
  gridTemplateColumns: '30px minmax(0, 1fr)',
  columnGap: 1.25,
  position: 'relative',
  scrollMarginTop: belowAppBar(56),
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
} as const;

/** The layout of every timeline item: icon, title, time and content. */
export function Item({ item, icon, title, children, tone = 'neutral', extra, dimmed }: ItemProps) {
  const row = useStepTarget(item.id);
  const heading = useId();
  const { collapsed, toggle } = useCollapsed(item);
  return (
    <Box
      component="li"
      ref={row}
      id={stepAnchor(item.id)}
      tabIndex={-1}
      data-step
      data-testid="timeline-item"
      data-event-id={item.id}
      data-event-type={item.event_type}
      data-status={item.status}
      sx={itemStyles}
    >
      <ItemIcon tone={tone}>{icon}</ItemIcon>
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
          <Typography
            id={heading}
            component="div"
            sx={{ fontWeight: 600, fontSize: '0.875rem', minWidth: 0 }}
          >
            {title}
          </Typography>
          {extra}
          <ItemTime item={item} />
          <StepLink id={item.id} />
          {toggle && (
            <Button
              size="small"
              color="inherit"
              aria-expanded={!collapsed}
              aria-describedby={heading}
              onClick={toggle}
            >
              {collapsed ? 'Expand' : 'Collapse'}
            </Button>
          )}
        </Box>
        {!collapsed && <Box sx={dimmed ? { color: 'text.secondary' } : {}}>{children}</Box>}
        <Warnings item={item} />
      </Box>
    </Box>
  );
}

/** Visible beside the step that has the pointer or the focus. */
const stepLinkStyles = {
  opacity: 0,
  '& .MuiButton-root': { minWidth: 0, p: 0.25 },
  '& .MuiButton-startIcon': { m: 0 },
  '@media (hover: none)': { opacity: 1 },
  '&:focus-within, li:hover > div > div > &, li:focus > div > div > &': { opacity: 1 },
} as const;

function StepLink({ id }: { readonly id: string }) {
  const { origin, pathname } = window.location;
  return (
    <Box component="span" className="no-print" sx={stepLinkStyles}>
      <CopyButton
        text={`${origin}${pathname}#${stepAnchor(id)}`}
        label="Copy link to this step"
        icon={<LinkIcon />}
      >
        {''}
      </CopyButton>
    </Box>
  );
}

function ItemIcon({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
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
  const showDuration = durationMs !== null && durationMs >= 100;
  return (
    <Secondary component="span" size="small" sx={{ ml: 'auto', whiteSpace: 'nowrap' }}>
      <ClockTime at={item.created_at} />
      {showDuration && ` · ${formatDuration(durationMs)}`}
    </Secondary>
  );
}

function Warnings({ item }: { readonly item: TimelineItem }) {
  const { interrupted, truncated, timeUp } = readMeta(item);
  return (
    <>
      {interrupted && (
        <ItemWarning testId="interrupted">{describeInterruption(item.status)}</ItemWarning>
      )}
      {truncated && (
        <ItemWarning testId="truncated">
          {timeUp ? 'Cut off when its time was up' : 'Truncated at the model’s output limit'}
        </ItemWarning>
      )}
    </>
  );
}

function describeInterruption(status: string): string {
  const event = interruptions[status] ?? 'Interrupted';
  return `${event} before it was complete.`;
}

const interruptions: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled',
  timed_out: 'Timed out',
};

interface ItemWarningProps {
  readonly testId: string;
  readonly children: ReactNode;
}

function ItemWarning({ testId, children }: ItemWarningProps) {
  return (
    <Typography
      component="p"
      data-testid={testId}
      sx={{ color: toneText('warning'), fontSize: '0.8125rem', fontWeight: 600, mt: 0.5 }}
    >
      {children}
    </Typography>
  );
}
