import {
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  TableSortLabel,
} from '@mui/material';
import { Fragment, useState } from 'react';
import type { SessionItem } from '../../api/sessions';
import { useDensity, type Density } from '../../lib/browser/density';
import { SelectBox } from './bulk/SelectBox';
import type { Bulk } from './bulk/useBulk';
import { columns, columnStyle, selectStyle, type Column } from './columns';
import type { ListParams } from './params';
import { foldRepeats, type Row } from './repeats';
import { RepeatsButton, SessionRow } from './SessionRow';

interface HistoryTableProps {
  readonly sessions: readonly SessionItem[];
  readonly list: ListParams;
  readonly change: (changes: Partial<ListParams>) => void;
  readonly bulk: Bulk;
}

/** Two lines a row, or one where the user wants it dense. A list in another order, or of one alert, has a row for each session. */
export function HistoryTable({ sessions, list, change, bulk }: HistoryTableProps) {
  const density = useDensity();
  const folds = list.sort === 'created_at' && list.fingerprint === '';
  const rows = folds
    ? foldRepeats(sessions)
    : sessions.map((session) => ({ session, repeats: [] }));
  return (
    <TableContainer
      role="region"
      aria-label="Session history"
      tabIndex={0}
      sx={{ mx: -2, width: 'auto' }}
    >
      <Table size="small" data-density={density} sx={tableStyle(density)}>
        <TableHead>
          <TableRow>
            <SelectAll sessions={sessions} bulk={bulk} />
            {columns.map((column) => (
              <HeaderCell key={column.title} column={column} list={list} change={change} />
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <FoldedRow key={row.session.id} row={row} bulk={bulk} />
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

const tableStyle = (density: Density) => ({
  tableLayout: 'fixed',
  // A phone has cards without a head.
  '& thead': { display: { xs: 'none', sm: 'table-header-group' } },
  '& td, & th': { px: { xs: 0.75, sm: 1.5 } },
  '& th': { py: 0.25, whiteSpace: 'nowrap' },
  '& td': {
    py: density === 'compact' ? { xs: 0.5, sm: 0.25 } : { xs: 1, sm: 0.5 },
    height: density === 'compact' ? 33 : 49,
    lineHeight: 1.4,
    verticalAlign: { xs: 'top', sm: 'middle' },
  },
  // On a phone the box and the icon stand beside the title.
  '& td:first-of-type': { pt: { xs: 1.375, sm: 0.5 } },
  '& td:nth-of-type(2)': { pl: 1.5 },
});

function FoldedRow({ row, bulk }: { readonly row: Row; readonly bulk: Bulk }) {
  const [open, setOpen] = useState(false);
  const { session, repeats } = row;
  const toggle = repeats.length > 0 && (
    <RepeatsButton count={repeats.length} open={open} onToggle={() => setOpen(!open)} />
  );
  return (
    <Fragment>
      <SessionRow session={session} bulk={bulk} toggle={toggle} />
      {open &&
        repeats.map((repeat) => (
          <SessionRow key={repeat.id} session={repeat} bulk={bulk} isRepeat />
        ))}
    </Fragment>
  );
}

interface HeaderCellProps extends Omit<HistoryTableProps, 'sessions' | 'bulk'> {
  readonly column: Column;
}

function HeaderCell({ column, list, change }: HeaderCellProps) {
  const { sort, title, isNumber } = column;
  const active = sort !== undefined && list.sort === sort;
  const align = isNumber ? 'right' : 'left';
  if (sort === undefined) {
    return (
      <TableCell align={align} sx={columnStyle(column)}>
        {title}
      </TableCell>
    );
  }
  return (
    <TableCell align={align} sortDirection={active ? list.order : false} sx={columnStyle(column)}>
      <TableSortLabel
        active={active}
        direction={active ? list.order : 'desc'}
        onClick={() => change({ sort, order: active && list.order === 'desc' ? 'asc' : 'desc' })}
      >
        {title}
      </TableSortLabel>
    </TableCell>
  );
}

interface SelectAllProps {
  readonly sessions: readonly SessionItem[];
  readonly bulk: Bulk;
}

function SelectAll({ sessions, bulk }: SelectAllProps) {
  const ids = sessions.map(({ id }) => id);
  const all = ids.every((id) => bulk.selected.has(id));
  return (
    <TableCell padding="checkbox" sx={selectStyle}>
      <SelectBox
        label="Select all sessions of this page"
        checked={all}
        mixed={!all && bulk.selected.size > 0}
        disabled={bulk.busy}
        onChange={() => bulk.select(all ? [] : ids)}
      />
    </TableCell>
  );
}
