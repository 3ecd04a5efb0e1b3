import {
  Link,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
} from '@mui/material';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';
import { formatExact } from '../../lib/format';

interface NumberTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** The first cell is the head of its row. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

export function NumberTable({ label, columns, rows }: NumberTableProps) {
  return (
    <TableContainer role="region" aria-label={label} tabIndex={0}>
      <Table size="small" sx={{ fontVariantNumeric: 'tabular-nums' }}>
        <TableHead>
          <TableRow>
            {columns.map((column, index) => (
              <TableCell key={column} align={index === 0 ? 'left' : 'right'}>
                {column}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map(({ key, cells: [head, ...cells] }) => (
            <TableRow key={key}>
              <TableCell component="th" scope="row" sx={{ overflowWrap: 'anywhere' }}>
                {head}
              </TableCell>
              {cells.map((cell, index) => (
                <TableCell key={columns[index + 1]} align="right">
                  {cell}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

interface LinkedNumberProps {
  readonly value: number;
  readonly to: string;
  /** What is counted, for screen readers. */
  readonly label: string;
}

/** A number that leads to the list of what it counts. */
export function LinkedNumber({ value, to, label }: LinkedNumberProps) {
  if (value === 0) return <>0</>;
  return (
    <Link component={RouterLink} to={to} aria-label={`${formatExact(value)} ${label}`}>
      {formatExact(value)}
    </Link>
  );
}
