import { Chip } from '@mui/material';
import { humanize } from '../../lib/text/format';
import { showBidiControls } from '../../lib/text/bidi';
import type { ListChange, ListParams } from './params';

interface FilterChipsProps {
  readonly list: ListParams;
  readonly change: (change: ListChange) => void;
}

interface Shown {
  readonly label: string;
  readonly cleared: Partial<ListParams>;
  readonly testId: string;
}

/** The filters in use that no button of the line shows, each with its removal. */
export function FilterChips({ list, change }: FilterChipsProps) {
  return shown(list).map(({ label, cleared, testId }) => (
    <Chip
      key={testId}
      label={showBidiControls(label)}
      onDelete={() => change(cleared)}
      data-testid={testId}
      sx={{ my: 0.5, maxWidth: 320 }}
    />
  ));
}

function shown(list: ListParams): readonly Shown[] {
  const hasTime = list.hours > 0 || list.since !== '' || list.until !== '';
  const all: readonly (Shown | false)[] = [
    list.fingerprint !== '' && {
      label: `Fingerprint ${list.fingerprint}`,
      cleared: { fingerprint: '' },
      testId: 'filter-fingerprint',
    },
    list.open && {
      label: 'Also running and queued',
      cleared: { open: false },
      testId: 'filter-open',
    },
    hasTime && {
      label: list.hours > 0 ? `Last ${list.hours} h` : 'Between two times',
      cleared: { hours: 0, since: '', until: '' },
      testId: 'chip-time',
    },
    ...texts(list),
    list.mine && {
      label: 'My sessions',
      cleared: { mine: false },
      testId: 'chip-mine',
    },
    list.degraded && {
      label: 'Degraded only',
      cleared: { degraded: false },
      testId: 'chip-degraded',
    },
  ];
  return all.filter((one) => one !== false);
}

function texts(list: ListParams): readonly (Shown | false)[] {
  const names = [
    ['alertType', 'Alert type'],
    ['chain', 'Chain'],
    ['severity', 'Severity'],
    ['author', 'Author'],
    ['review', 'Review'],
    ['scoreMin', 'Score from'],
    ['triage', 'Work'],
    ['assignee', 'Assignee'],
  ] as const;
  return names.map(([name, title]) => {
    const isWord = name === 'review' || name === 'triage';
    const value = isWord ? humanize(list[name]) : list[name];
    return (
      value !== '' && {
        label: `${title}: ${value}`,
        cleared: { [name]: '' },
        testId: `chip-${name}`,
      }
    );
  });
}
