import {
  Box,
  Link,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
} from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { showBidiControls } from '../../lib/text/bidi';
import { plural, shortId } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Secondary } from '../../ui/layout/Secondary';
import { wideTable } from '../../ui/theme/tokens';
import type { Figure } from './figures';

interface FigureTableProps {
  readonly figures: readonly Figure[];
  /** Ids of the sessions. */
  readonly first: string;
  readonly second: string;
}

/** The figures that differ, and those that do not, folded. */
export function FigureTable({ figures, first, second }: FigureTableProps) {
  const same = figures.filter((figure) => figure.first === figure.second && figure.first !== '–');
  const different = figures.filter((figure) => figure.first !== figure.second);
  return (
    <>
      {different.length === 0 ? (
        <Secondary>All figures are the same.</Secondary>
      ) : (
        <TableContainer role="region" aria-label="Figures that differ" tabIndex={0} sx={wideTable}>
          <Table size="small" sx={{ '& td, & th': { verticalAlign: 'top', px: { xs: 1, sm: 2 } } }}>
            <TableHead>
              <TableRow>
                <TableCell>Figure</TableCell>
                <SessionCell title="First" id={first} />
                <SessionCell title="Second" id={second} />
              </TableRow>
            </TableHead>
            <TableBody>
              {different.map((figure) => (
                <TableRow key={figure.name} data-testid="figure">
                  <TableCell component="th" scope="row">
                    {figure.name}
                  </TableCell>
                  <ValueCell value={figure.first} />
                  <ValueCell value={figure.second} />
                </TableRow>
              ))}
            </TableBody>
          </Table>
        </TableContainer>
      )}
      {same.length > 0 && (
        <Disclosure
          summary={
            <Secondary component="span">{plural(same.length, 'identical figure')}</Secondary>
          }
          testId="same-figures"
        >
          <Box component="ul" sx={{ m: 0, pl: 2.5, fontSize: '0.8125rem' }}>
            {same.map(({ name, first: value }) => (
              <li key={name}>
                {name}: <bdi>{showBidiControls(value)}</bdi>
              </li>
            ))}
          </Box>
        </Disclosure>
      )}
    </>
  );
}

interface SessionCellProps {
  readonly title: string;
  readonly id: string;
}

function SessionCell({ title, id }: SessionCellProps) {
  return (
    <TableCell>
      {title}:{' '}
      <Link component={RouterLink} to={pages.session(id)}>
        session {shortId(id)}
      </Link>
    </TableCell>
  );
}

function ValueCell({ value }: { readonly value: string }) {
  return (
    <TableCell sx={{ overflowWrap: 'anywhere', minWidth: 96 }}>
      <bdi>{showBidiControls(value)}</bdi>
    </TableCell>
  );
}
