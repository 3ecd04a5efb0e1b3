import { Box } from '@mui/material';
import type { ComponentType } from 'react';
import type { SvgIconProps } from '@mui/material';
import {
  describeStatus,
  isRunning,
  type StatusDescription,
  type Tone,
} from '../../lib/session/status';
import {
  AlertIcon,
  CheckIcon,
  ClockIcon,
  CrossIcon,
  DashIcon,
  PulseIcon,
  QueueIcon,
  StopIcon,
} from '../theme/icons';
import { visuallyHidden } from '../theme/tokens';
import { toneColors } from './tones';

const toneIcons: Record<Tone, ComponentType<SvgIconProps>> = {
  neutral: QueueIcon,
  info: PulseIcon,
  success: CheckIcon,
  warning: AlertIcon,
  error: CrossIcon,
};

const statusIcons: Readonly<Record<string, ComponentType<SvgIconProps>>> = {
  timed_out: ClockIcon,
  waiting_for_approval: ClockIcon,
  cancelled: StopIcon,
  cancelling: StopIcon,
  without_cause: DashIcon,
};

/** A session that completed without a cause has no tick; one that runs and warns waits for a person. */
function iconName(status: string, tone: Tone): string {
  if (status === 'in_progress' && tone === 'warning') return 'waiting_for_approval';
  return status === 'completed' && tone === 'neutral' ? 'without_cause' : status;
}

interface StatusChipProps {
  readonly status: string;
  /** How it is shown; by default as the status is. */
  readonly shown?: StatusDescription;
  readonly size?: 'small' | 'medium';
  readonly testId?: string;
}

/** A status as color, icon and label. */
export function StatusChip({ status, shown, size = 'small', testId }: StatusChipProps) {
  const { label, tone } = shown ?? describeStatus(status);
  const Icon = statusIcons[iconName(status, tone)] ?? toneIcons[tone];
  const medium = size === 'medium';
  return (
    <Box
      component="span"
      data-testid={testId}
      data-status={status}
      sx={{
        ...toneColors(tone),
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.5,
        px: medium ? 1.25 : 0.875,
        py: medium ? 0.375 : 0.125,
        borderRadius: 99,
        fontSize: medium ? '0.8125rem' : '0.75rem',
        fontWeight: 600,
        lineHeight: 1.5,
        whiteSpace: 'nowrap',
      }}
    >
      <Icon
        sx={{
          fontSize: '1.15em',
          strokeWidth: 2.4,
          animation: isRunning(status) ? 'tarsy-pulse 1.6s ease-in-out infinite' : 'none',
        }}
      />
      {label}
    </Box>
  );
}

/** A status as an icon in its color; screen readers and the tooltip have the label. */
export function StatusIcon({ status, shown }: Pick<StatusChipProps, 'status' | 'shown'>) {
  const { label, tone } = shown ?? describeStatus(status);
  const Icon = statusIcons[iconName(status, tone)] ?? toneIcons[tone];
  return (
    <Box
      component="span"
      title={label}
      data-status={status}
      sx={{
        ...toneColors(tone),
        display: 'inline-flex',
        alignItems: 'center',
        justifyContent: 'center',
        width: 26,
        height: 26,
        flexShrink: 0,
        borderRadius: '50%',
      }}
    >
      <Icon
        sx={{
          fontSize: 16,
          strokeWidth: 2.4,
          animation: isRunning(status) ? 'tarsy-pulse 1.6s ease-in-out infinite' : 'none',
        }}
      />
      <Box component="span" sx={visuallyHidden}>
        {label}
      </Box>
    </Box>
  );
}
