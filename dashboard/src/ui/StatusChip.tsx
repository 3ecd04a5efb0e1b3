import { Box } from '@mui/material';
import type { ComponentType } from 'react';
import type { SvgIconProps } from '@mui/material';
import { describeStatus, isRunning, type Tone } from '../lib/status';
import {
  AlertIcon,
  CheckIcon,
  ClockIcon,
  CrossIcon,
  PulseIcon,
  QueueIcon,
  StopIcon,
} from './icons';
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
  cancelled: StopIcon,
  cancelling: StopIcon,
};

interface StatusChipProps {
  readonly status: string;
  readonly size?: 'small' | 'medium';
  readonly testId?: string;
}

/** A status as color, icon and label. */
export function StatusChip({ status, size = 'small', testId }: StatusChipProps) {
  const { label, tone } = describeStatus(status);
  const Icon = statusIcons[status] ?? toneIcons[tone];
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
