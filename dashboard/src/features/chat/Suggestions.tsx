import { Box, Button } from '@mui/material';
import { showBidiControls } from '../../lib/text/bidi';
import { isVerified } from '../../lib/session/claims';
import { Secondary } from '../../ui/layout/Secondary';
import { useChecks } from '../../ui/claims/checks';
import { plainList } from '../../ui/theme/tokens';

const MAX_SUGGESTIONS = 3;

interface SuggestionsProps {
  readonly openPoints: readonly string[];
  /** The questions that were asked before. */
  readonly asked: ReadonlySet<string>;
  /** Puts the question into the field, where it can be changed before it is sent. */
  readonly onChoose: (question: string) => void;
}

/** Questions about what the investigation left open: claims that are not verified, and gaps. */
export function Suggestions({ openPoints, asked, onChoose }: SuggestionsProps) {
  const { analysis } = useChecks();
  const claims = (analysis?.items ?? [])
    // A citation of a call that was not made is no statement that a result could show.
    .filter((claim) => !isVerified(claim) && claim.kind !== 'citation')
    .map(({ text }) => `Where does “${text}” come from?`);
  const open = (questions: readonly string[]) => questions.filter((each) => !asked.has(each));
  const questions = alternate(open(claims), open(openPoints)).slice(0, MAX_SUGGESTIONS);
  if (questions.length === 0) return null;
  return (
    <Box data-testid="chat-suggestions" sx={{ mb: 1 }}>
      <Secondary size="small">Suggested questions</Secondary>
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

/** One of each in turn, so that many of one kind leave room for the other. */
function alternate(first: readonly string[], second: readonly string[]): readonly string[] {
  const length = Math.max(first.length, second.length);
  const pairs = Array.from({ length }, (_, index) => [first[index], second[index]]);
  return [...new Set(pairs.flat().filter((text) => text !== undefined))];
}
