/** Times that run: only these few words are drawn again, not what stands around them. */
import { elapsed, formatAgo, formatDateTime, formatDuration } from '../lib/time';
import { useNow } from '../lib/useNow';

interface ElapsedProps {
  readonly from: string | null;
  /** Runs on while there is no end. */
  readonly to?: string | null;
}

export function Elapsed({ from, to = null }: ElapsedProps) {
  const now = useNow(from !== null && to === null);
  return <>{formatDuration(elapsed(from, to, now))}</>;
}

interface AgoProps {
  readonly since: string;
  readonly everyMs?: number;
}

export function Ago({ since, everyMs = 1000 }: AgoProps) {
  const now = useNow(true, everyMs);
  return (
    <time dateTime={since} title={formatDateTime(since)}>
      {formatAgo(since, now)}
    </time>
  );
}
