import { Box } from '@mui/material';
import type { Score } from '../../api/scores';
import { showBidiControls } from '../../lib/text/bidi';
import { formatCost, formatCount, humanize, plural } from '../../lib/text/format';
import { scoreTone } from '../../lib/session/score';
import { Badge } from '../../ui/badges/Badge';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';

const failures: Readonly<Record<string, string>> = {
  no_model: 'The offline analyst cannot judge: name a provider in scoring.llm_provider.',
  invalid: 'The model answered twice without a valid number.',
  failed: 'The model could not be called.',
  timed_out: 'The time ran out.',
  budget_used_up: 'Daily token limit reached. Score it again tomorrow.',
  attempts_used_up: 'Failed after five attempts.',
  unreadable: 'Its request cannot be read: score the session again.',
};

const describe = (failure: string) => failures[failure] ?? humanize(failure);

/** One score: the number, why the model judges so, and what code counts. */
export function ScoreDetails({ score }: { readonly score: Score }) {
  const { analysis, failure_tags: tags, missing_tools: tools, tools_failure: lost } = score;
  return (
    <Box sx={{ display: 'grid', gap: 1.25 }} data-testid="score-details">
      <Head score={score} />
      {analysis !== null && (
        <Box dir="auto" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {showBidiControls(analysis)}
        </Box>
      )}
      {tags.length > 0 && (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75 }}>
          {tags.map((tag) => (
            <Badge key={tag} tone="warning" testId="score-tag">
              {humanize(tag)}
            </Badge>
          ))}
        </Box>
      )}
      <Checks score={score} />
      {tools.length > 0 && (
        <Box component="ul" aria-label="Missing tools" sx={plainList}>
          {tools.map(({ name, why }) => (
            <li key={name}>
              Missing: <bdi>{showBidiControls(name)}</bdi>{' '}
              <Secondary component="span">{showBidiControls(why)}</Secondary>
            </li>
          ))}
        </Box>
      )}
      {lost !== null && <Secondary>Missing tools are unknown. {describe(lost)}</Secondary>}
      <Source score={score} />
    </Box>
  );
}

function Head({ score }: { readonly score: Score }) {
  if (score.score !== null) {
    return (
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
        <Badge tone={scoreTone(score.score)} testId="score-badge">
          {score.score}
        </Badge>
        <Secondary component="span">
          The lower of model {score.model_score} and checks {score.checks?.score}
        </Secondary>
      </Box>
    );
  }
  if (score.failure !== null) return <div>No score. {describe(score.failure)}</div>;
  return <div>Being scored.</div>;
}

/** What code counts, with what costs points. */
function Checks({ score: { checks } }: { readonly score: Score }) {
  if (checks === null) return null;
  const facts = [
    checks.claims > 0 &&
      `${checks.unbacked_claims} of ${plural(checks.claims, 'statement')} not backed`,
    checks.calls > 0 && `${checks.failed_calls} of ${plural(checks.calls, 'call')} failed`,
    checks.repeated_calls > 0 && `${checks.repeated_calls} repeated`,
    checks.budget_used_up && 'budget used up',
    !checks.looked && 'nothing was looked at',
  ].filter((fact) => fact !== false);
  return (
    <div data-testid="score-checks">
      Checks {checks.score}
      {facts.length > 0 && `: ${facts.join(', ')}`}
    </div>
  );
}

function Source({ score }: { readonly score: Score }) {
  const { model, provider, requested_by: by, prompt_version: version } = score;
  const used = `${plural(score.llm_calls, 'LLM call')}, ${formatCount(score.total_tokens)} tokens`;
  return (
    <Secondary>
      <DateTime at={score.created_at} />
      {model !== null && ` · ${showBidiControls(model)} (${showBidiControls(provider ?? '')})`}
      {by !== null && ` · requested by ${showBidiControls(by)}`} · {used}
      {score.cost_micro_usd > 0 && `, ${formatCost(score.cost_micro_usd)}`}
      {version !== null && ` · prompt ${version.slice(0, 8)}`}
    </Secondary>
  );
}
