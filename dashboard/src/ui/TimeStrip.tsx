import { Box } from '@mui/material';

interface TimeStripProps {
  /** The begin and the end, in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly marks: readonly { readonly id: string; readonly at: number; readonly title: string }[];
  /** What it shows, for who cannot see it. */
  readonly label: string;
}

/** Moments on an axis of time. */
export function TimeStrip({ from, to, marks, label }: TimeStripProps) {
  return (
    <Box role="img" aria-label={label} sx={axisStyles}>
      {marks.map(({ id, at, title }) => (
        <Box
          key={id}
          title={title}
          sx={{ ...markStyles, left: `${(100 * (at - from)) / Math.max(to - from, 1)}%` }}
        />
      ))}
    </Box>
  );
}

const axisStyles = {
  position: 'relative',
  height: 18,
  mx: 1,
  mb: 1,
  borderBottom: 2,
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
