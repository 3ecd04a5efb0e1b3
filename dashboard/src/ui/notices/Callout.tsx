import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import type { Tone } from '../../lib/session/status';
import { shownText } from '../text/shownText';
import { AlertIcon } from '../theme/icons';
import { toneColors } from '../badges/tones';

interface CalloutProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly title?: string;
  /** The element of the title; a heading when this is the whole page. */
  readonly titleElement?: 'h1' | 'div';
  readonly action?: ReactNode;
  readonly testId?: string;
}

/** A message that concerns the part of the page where it stands. */
export function Callout(props: CalloutProps) {
  const { tone, children, title, titleElement = 'div', action, testId } = props;
  return (
    <Box
      role="alert"
      data-testid={testId}
      sx={{
        ...toneColors(tone),
        display: 'flex',
        gap: 1.5,
        px: 2,
        py: 1.25,
        borderRadius: 1,
        fontSize: '0.875rem',
        overflowWrap: 'anywhere',
      }}
    >
      <AlertIcon sx={{ fontSize: 20, mt: 0.125, flexShrink: 0 }} />
      <Box sx={{ minWidth: 0, flexGrow: 1 }}>
        {title && (
          <Typography component={titleElement} sx={{ fontSize: '0.875rem', fontWeight: 650 }}>
            {showBidiControls(title)}
          </Typography>
        )}
        {shownText(children)}
      </Box>
      {action}
    </Box>
  );
}
