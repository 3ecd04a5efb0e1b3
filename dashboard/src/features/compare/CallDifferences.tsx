import {
  Box,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material';
import type { CallDifference, Comparison } from '../../api/comparison';
import { showBidiControls } from '../../lib/text/bidi';
import { inlineValue, plural } from '../../lib/text/format';
import { Badge } from '../../ui/badges/Badge';
import { wideTable } from '../../ui/theme/tokens';

/** Which calls one of the two made more often than the other. */
export function CallDifferences({ comparison }: { readonly comparison: Comparison }) {
  const { differences } = comparison;
  return (
    <>
      <Typography>{describeCalls(comparison)}</Typography>
      {differences.length > 0 && (
        <TableContainer
          role="region"
          aria-label="Calls that differ"
          tabIndex={0}
          sx={{ ...wideTable, mt: 1 }}
        >
          <Table size="small" sx={{ '& td': { verticalAlign: 'top' } }}>
            <TableHead>
              <TableRow>
                <TableCell>Call</TableCell>
                <TableCell align="right">First</TableCell>
                <TableCell align="right">Second</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {differences.map((difference, at) => (
                <DifferenceRow key={`${at}:${difference.tool}`} difference={difference} />
              ))}
            </TableBody>
          </Table>
        </TableContainer>
      )}
    </>
  );
}

function DifferenceRow({ difference }: { readonly difference: CallDifference }) {
  const { server, tool, first, second } = difference;
  return (
    <TableRow data-testid="call-difference">
      <TableCell sx={{ overflowWrap: 'anywhere' }}>
        <code>{showBidiControls(`${server}.${tool}`)}</code>{' '}
        {(first === 0 || second === 0) && (
          <Box component="span" sx={{ mx: 0.5 }}>
            <Badge tone="warning">only the {first === 0 ? 'second' : 'first'}</Badge>
          </Box>
        )}{' '}
        <Box component="code" dir="auto" sx={{ display: 'block', color: 'text.secondary' }}>
          {inlineValue(difference.arguments)}
        </Box>
      </TableCell>
      <TableCell align="right">{first}×</TableCell>
      <TableCell align="right">{second}×</TableCell>
    </TableRow>
  );
}

/** Calls that both made, each as often as the one that made it less often. */
function shared({ first, differences }: Comparison): number {
  const more = differences.map((call) => Math.max(0, call.first - call.second));
  return first.tool_calls - more.reduce((sum, calls) => sum + calls, 0);
}

function describeCalls(comparison: Comparison): string {
  const { first, second, ...same } = comparison;
  if (first.tool_calls + second.tool_calls === 0) return 'Neither called a tool.';
  if (shared(comparison) <= 0) return 'No call was made by both.';
  const results = same.same_results
    ? 'The results of the calls that both made are the same, byte by byte.'
    : 'The results of some calls that both made differ.';
  if (same.same_calls && first.tool_calls === 1) return `Both made the same call. ${results}`;
  if (same.same_calls) {
    return `Both made the same ${plural(first.tool_calls, 'call')} in the same order. ${results}`;
  }
  const order = same.differences.length === 0 ? 'Both made the same calls in another order. ' : '';
  return `${order}${results}`;
}
