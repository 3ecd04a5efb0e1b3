import { Box, Typography } from '@mui/material';
import { useRef, useState } from 'react';
import type { Decision } from '../../api/approvals';
import { showBidiControls } from '../../lib/text/bidi';
import { plural } from '../../lib/text/format';
import { APPROVAL_ID, stepAnchor } from '../../lib/browser/paths';
import { ClockIcon } from '../../ui/theme/icons';
import { PageSkipLinks, SkipLink } from '../../ui/layout/SkipLink';
import { toneColors, toneText } from '../../ui/badges/tones';
import { visuallyHidden } from '../../ui/theme/tokens';
import { InjectionWarning, type InjectedLine } from './InjectionWarning';
import { Request, type PendingCall } from './Request';

export interface ApprovalBarProps {
  /** The oldest first. */
  readonly calls: readonly PendingCall[];
  /** With the step that reports each. */
  readonly injected: readonly (Omit<InjectedLine, 'to'> & { readonly step: string })[];
}

/** The call that waits for a decision, below the app bar wherever the page is scrolled. The focus stays in it after a decision. */
export function ApprovalBar({ calls, injected }: ApprovalBarProps) {
  const [decided, setDecided] = useState<string | null>(null);
  const bar = useRef<HTMLDivElement>(null);
  const [call] = calls;
  if (call === undefined && decided === null) return null;
  function onDecided(decision: Decision): void {
    setDecided(`${decision === 'approve' ? 'Approved' : 'Denied'}: ${call?.tool ?? ''}`);
    bar.current?.focus();
  }
  return (
    <Box
      ref={bar}
      component="section"
      id={APPROVAL_ID}
      aria-label="Approval"
      tabIndex={-1}
      data-testid="approval-bar"
      data-shortcut="p"
      sx={call ? stickyStyle : { mb: 1 }}
    >
      {decided !== null && (
        <Typography role="status" data-testid="decided" sx={{ fontSize: '0.875rem' }}>
          {showBidiControls(decided)}
        </Typography>
      )}
      {call && (
        <>
          {/* Announced once for each call, wherever the focus is. */}
          <Box key={call.id} role="alert" sx={visuallyHidden} data-testid="approval-announcement">
            {`Waiting for approval: ${showBidiControls(call.tool)}`}
          </Box>
          <PageSkipLinks first>
            <SkipLink to={APPROVAL_ID}>Skip to approval</SkipLink>
          </PageSkipLinks>
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 0.5 }}>
            <ClockIcon fontSize="small" sx={{ color: toneText('warning') }} />
            <Typography component="h2" sx={{ fontSize: '0.9375rem', fontWeight: 650 }}>
              Waiting for approval
              {calls.length > 1 && ` (1 of ${plural(calls.length, 'call')})`}
            </Typography>
          </Box>
          <Request
            key={`request-${call.id}`}
            call={call}
            warning={
              injected.length > 0 && (
                <InjectionWarning
                  injected={injected.map((line) => ({ ...line, to: `#${stepAnchor(line.step)}` }))}
                />
              )
            }
            onDecided={onDecided}
          />
        </>
      )}
    </Box>
  );
}

const stickyStyle = {
  position: 'sticky',
  top: 'var(--tarsy-app-bar-height)',
  // Above the button that jumps to the end of the timeline.
  zIndex: 1060,
  mb: 2,
  px: 2,
  py: 1.25,
  maxHeight: 'calc(100vh - var(--tarsy-app-bar-height))',
  overflow: 'auto',
  bgcolor: 'background.paper',
  border: 1,
  borderColor: 'divider',
  borderInlineStart: `4px solid ${toneColors('warning').color}`,
  borderRadius: 1,
  boxShadow: 3,
} as const;
