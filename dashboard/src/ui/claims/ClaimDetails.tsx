import { Box } from '@mui/material';
import { showBidiControls } from '../../lib/text/bidi';
import { describeVerdict, type Claim } from '../../lib/session/claims';
import { CallLink } from '../markdown/citations';
import { toneText } from '../badges/tones';

/** The verdict of a claim, where that is shown, and what a result shows instead. Inline, for use in a paragraph. */
export function ClaimDetails({ claim }: { readonly claim: Claim }) {
  const { label, tone, sign, explanation } = describeVerdict(claim.verdict);
  return (
    <Box component="span" sx={{ display: 'block', fontSize: '0.8125rem', lineHeight: 1.5 }}>
      <Box component="strong" sx={{ color: toneText(tone) }}>
        <span aria-hidden>{sign} </span>
        {label}
      </Box>
      {explanation !== '' && ` ${explanation}`}
      {claim.call !== null && (
        <>
          {' See '}
          <CallLink number={claim.call}>call {claim.call}</CallLink>
          {claim.line !== null && `, line ${claim.line}`}.
        </>
      )}
      {claim.shown !== null && (
        <Box component="span" sx={{ display: 'block', mt: 0.25 }}>
          {'The result shows '}
          <code data-testid="claim-shown">{showBidiControls(claim.shown)}</code>
        </Box>
      )}
    </Box>
  );
}
