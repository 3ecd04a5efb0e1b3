import { Box, Button } from '@mui/material';
import { useState } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import { describeCheck, isVerified, type ClaimCheck } from '../../lib/session/claims';
import { plural } from '../../lib/text/format';
import { AlertIcon, CheckIcon } from '../theme/icons';
import { ClaimDetails } from './ClaimDetails';
import { Disclosure } from '../layout/Disclosure';
import { Secondary } from '../layout/Secondary';
import { plainList } from '../theme/tokens';
import { toneText } from '../badges/tones';
import { useChecks } from './checks';

/** How many claims of a text are verified, with the list of its claims. */
export function CheckSummary({ check }: { readonly check: ClaimCheck }) {
  const complete = check.failure === null && check.verified === check.claims;
  const Icon = complete ? CheckIcon : AlertIcon;
  if (complete && check.claims === 0) {
    return (
      <Box className="no-print" sx={{ mt: 1 }} data-testid="check-summary">
        <Secondary>{describeCheck(check)}</Secondary>
      </Box>
    );
  }
  return (
    <Box className="no-print" sx={{ mt: 1 }} data-testid="check-summary">
      <Disclosure
        summary={
          <Box
            component="span"
            sx={{
              display: 'inline-flex',
              alignItems: 'center',
              gap: 0.5,
              fontSize: '0.8125rem',
              fontWeight: 600,
              color: toneText(complete ? 'success' : 'warning'),
            }}
          >
            <Icon sx={{ fontSize: 16 }} />
            {describeCheck(check)}
          </Box>
        }
      >
        <ClaimList check={check} />
      </Disclosure>
    </Box>
  );
}

/** Claims that are rendered until the reader asks for all. */
const SHOWN_FIRST = 50;

function ClaimList({ check }: { readonly check: ClaimCheck }) {
  const { unverifiedOnly } = useChecks();
  const [all, setAll] = useState(false);
  const claims = unverifiedOnly ? check.items.filter((claim) => !isVerified(claim)) : check.items;
  const shown = all ? claims : claims.slice(0, SHOWN_FIRST);
  return (
    <>
      <Secondary>
        {check.successful_calls === 0
          ? 'No tool call succeeded, so nothing could be checked.'
          : `Compared with the results of ${plural(check.successful_calls, 'call')}. A verdict is about results: a supported claim can still be a wrong conclusion.`}
      </Secondary>
      <Box component="ol" aria-label="Claims" sx={plainList}>
        {shown.map((claim) => (
          <Box
            component="li"
            key={`${claim.start} ${claim.end}`}
            data-testid="claim-item"
            data-verdict={claim.verdict}
            sx={{ py: 0.75, borderTop: 1, borderColor: 'divider', overflowWrap: 'anywhere' }}
          >
            <q>{showBidiControls(claim.text)}</q>
            <ClaimDetails claim={claim} />
          </Box>
        ))}
      </Box>
      {shown.length < claims.length && (
        <Button size="small" onClick={() => setAll(true)}>
          Show all {plural(claims.length, 'claim')}
        </Button>
      )}
      {check.items_left_out > 0 && (
        <Secondary>{plural(check.items_left_out, 'more claim')} not listed.</Secondary>
      )}
    </>
  );
}
