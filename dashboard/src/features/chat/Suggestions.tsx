import { Box, Button } from '@mui/material';
import { showBidiControls } from '../../lib/bidi';
import { isVerified } from '../../lib/claims';
import { Secondary } from '../../ui/Secondary';
import { useChecks } from '../../ui/checks';
import { plainList } from '../../ui/tokens';

const MAX_SUGGESTIONS = 3;

interface SuggestionsProps {
  readonly openPoints: readonly string[];
  /** Puts the question into the field, where it can be changed before it is sent. */
  readonly onChoose: (question: string) => void;
}

/** Questions about what the investigation left open: claims that are not verified, and gaps. */
export function Suggestions({ openPoints, onChoose }: SuggestionsProps) {
  const { analysis } = useChecks();
  const claims = (analysis?.items ?? [])
    // A citation of a call that was not made is no statement that a result could show.
    .filter((claim) => !isVerified(claim) && claim.kind !== 'citation')
    .map(({ text }) => `Which result shows “${text}”?`);
  const questions = [...new Set([...claims, ...openPoints])].slice(0, MAX_SUGGESTIONS);
  if (questions.length === 0) return null;
  return (
    <Box data-testid="chat-suggestions" sx={{ mb: 1 }}>
      <Secondary size="small">Open points</Secondary>
      <Box component="ul" aria-label="Suggested questions" sx={plainList}>
        {questions.map((question) => (
          <li key={question}>
            <Button
              size="small"
              onClick={() => onChoose(question)}
              sx={{ textAlign: 'start', justifyContent: 'flex-start', overflowWrap: 'anywhere' }}
            >
              {showBidiControls(question)}
            </Button>
          </li>
        ))}
      </Box>
    </Box>
  );
}
