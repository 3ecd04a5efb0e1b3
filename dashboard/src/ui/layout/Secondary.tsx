import { Typography, type SxProps, type Theme } from '@mui/material';
import type { ReactNode } from 'react';
import { shownText } from '../text/shownText';

interface SecondaryProps {
  readonly children: ReactNode;
  readonly size?: 'small' | 'medium';
  /** The element; a paragraph by default. */
  readonly component?: 'p' | 'span' | 'li' | 'div';
  readonly role?: 'status';
  readonly sx?: SxProps<Theme>;
  readonly testId?: string;
}

/** Small gray text. */
export function Secondary(props: SecondaryProps) {
  const { children, size = 'medium', component = 'p', role, sx, testId } = props;
  return (
    <Typography
      component={component}
      role={role}
      data-testid={testId}
      sx={[
        {
          color: 'text.secondary',
          fontSize: size === 'small' ? '0.75rem' : '0.8125rem',
        },
        ...(Array.isArray(sx) ? sx : [sx ?? false]),
      ]}
    >
      {shownText(children)}
    </Typography>
  );
}
