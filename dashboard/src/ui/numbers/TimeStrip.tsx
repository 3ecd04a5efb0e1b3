import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import { Secondary } from '../layout/Secondary';

interface TimeStripProps {
  /** The begin and the end, in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly marks: readonly { readonly id: string; readonly at: number; readonly title: string }[];
  /** What it shows, for who cannot see it. */
  readonly label: string;
  /** What the begin and the end are. */
  readonly ends: readonly [ReactNode, ReactNode];
}

/** Moments on an axis of time. */
export function TimeStrip({ from, to, marks, label, ends }: TimeStripProps) {
  return (
    <>
      <Box role="img" aria-label={label} sx={axisStyles}>
        {marks.map(({ id, at, title }) => (
          <Box
            key={id}
            title={title}
            sx={{ ...markStyles, left: `${(100 * (at - from)) / Math.max(to - from, 1)}%` }}
          />
        ))}
      </Box>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', mb: 1 }}>
        {ends.map((end, index) => (
          <Secondary key={index === 0 ? 'begin' : 'end'} size="small" component="span">
            {end}
          </Secondary>
        ))}
      </Box>
    </>
  );
}

const axisStyles = {
  position: 'relative',
  height: 18,
  mx: 1,
  mb: 1,
  borderBottom: 2,
  borderLeft: 2,
  borderRight: 2,
  borderColor: 'divider',
} as const;

const markStyles = {
  position: 'absolute',
  bottom: -6,
  width: 10,
  height: 10,
  borderRadius: '50%',
  bgcolor: 'primary.main',
  transform: 'translateX(-50%)',
} as const;
