import { Box } from '@mui/material';
import type { ReactNode } from 'react';

export interface NumberTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** The first cell is the head of its row. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

const styles = {
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: '0.875rem',
  fontVariantNumeric: 'tabular-nums',
  '& th, & td': { px: 1, py: 0.75, borderBottom: 1, borderColor: 'divider', textAlign: 'end' },
  '& th': { fontWeight: 600 },
  '& tbody th': { fontWeight: 400 },
  '& th:first-of-type': { textAlign: 'start', overflowWrap: 'anywhere' },
} as const;

export function NumberTable({ label, columns, rows }: NumberTableProps) {
  return (
    <Box role="region" aria-label={`${label}, as a table`} tabIndex={0} sx={{ overflowX: 'auto' }}>
      <Box component="table" sx={styles}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [head, ...cells] }) => (
            <tr key={key}>
              <th scope="row">{head}</th>
              {cells.map((cell, index) => (
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}
