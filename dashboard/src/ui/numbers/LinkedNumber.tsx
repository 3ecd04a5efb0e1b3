import { Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { showBidiControls } from '../../lib/text/bidi';
import { formatExact } from '../../lib/text/format';

interface LinkedNumberProps {
  readonly value: number | null;
  readonly to: string;
  /** What is counted, for screen readers. */
  readonly label: string;
  readonly format?: (value: number) => string;
}

/** A number that leads to the list of what it counts; nothing leads to an empty one. */
export function LinkedNumber({ value, to, label, format = formatExact }: LinkedNumberProps) {
  if (value === null) return <>–</>;
  if (value === 0) return <>{format(0)}</>;
  return (
    <Link component={RouterLink} to={to} aria-label={showBidiControls(`${format(value)} ${label}`)}>
      {format(value)}
    </Link>
  );
}
