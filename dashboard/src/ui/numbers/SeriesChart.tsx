import { Box } from '@mui/material';
import { showBidiControls } from '../../lib/text/bidi';
import { draw, ends, formatValue, type Chart } from '../../lib/session/chart';
import { formatDateTime } from '../../lib/time/time';
import { useTimeZone } from '../../lib/time/timeZone';
import { CallLink } from '../markdown/citations';
import { Secondary } from '../layout/Secondary';
import { ClockTime } from './times';

interface SeriesChartProps {
  readonly chart: Chart;
}

/** One metric over time. Its caption states in words what the line shows. */
export function SeriesChart({ chart }: SeriesChartProps) {
  const drawing = draw(chart);
  if (drawing === null) return null;
  const { unit, points, change } = chart;
  const [first, last] = [points[0], points.at(-1)];
  return (
    <Box component="figure" data-testid="verdict-chart" sx={{ m: 0, minWidth: 0 }}>
      <Caption chart={chart} />
      <Box sx={frame}>
        <Secondary component="span" sx={axis}>
          <span>{formatValue(drawing.high, unit)}</span>
          <span>{formatValue(drawing.low, unit)}</span>
        </Secondary>
        <svg
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          aria-hidden
          style={{ width: '100%', height: HEIGHT_PX, display: 'block', overflow: 'visible' }}
        >
          <path
            d="M0 100H100"
            stroke="var(--mui-palette-divider)"
            vectorEffect="non-scaling-stroke"
          />
          {drawing.changeAt !== null && (
            <path
              d={`M${drawing.changeAt} 0V100`}
              stroke="var(--tarsy-warning-fg)"
              strokeDasharray="3 3"
              vectorEffect="non-scaling-stroke"
            />
          )}
          <path
            d={drawing.line}
            fill="none"
            stroke="var(--mui-palette-primary-main)"
            strokeWidth={1.75}
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
        <span />
        <Secondary component="span" sx={times}>
          {first !== undefined && <ClockTime at={first.at} />}
          {change !== null && (
            <span>
              changed <ClockTime at={change.at} />
            </span>
          )}
          {last !== undefined && <ClockTime at={last.at} />}
        </Secondary>
      </Box>
    </Box>
  );
}

const HEIGHT_PX = 72;

const frame = {
  display: 'grid',
  gridTemplateColumns: 'auto minmax(0, 1fr)',
  columnGap: 1,
  rowGap: 0.5,
  maxWidth: '40rem',
} as const;

const axis = {
  display: 'flex',
  flexDirection: 'column',
  justifyContent: 'space-between',
  textAlign: 'end',
} as const;

const times = {
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'space-between',
  columnGap: 1.5,
} as const;

function Caption({ chart }: SeriesChartProps) {
  const zone = useTimeZone();
  const { metric, object, unit, call, change } = chart;
  const range = ends(chart);
  return (
    <Box component="figcaption" sx={{ fontSize: '0.875rem', overflowWrap: 'anywhere', mb: 0.75 }}>
      <code>{showBidiControls(metric === '' ? 'value' : metric)}</code>
      {object !== '' && (
        <>
          {' of '}
          <bdi>{showBidiControls(object)}</bdi>
        </>
      )}
      {range !== null && `: ${formatValue(range[0], unit)} → ${formatValue(range[1], unit)}`}
      {change !== null && `, since ${formatDateTime(change.at, zone)}`}{' '}
      <CallLink number={call}>call {call}</CallLink>
    </Box>
  );
}
