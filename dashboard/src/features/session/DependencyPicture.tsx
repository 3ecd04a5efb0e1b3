import { Box } from '@mui/material';
import { useId } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { showBidiControls } from '../../lib/text/bidi';
import { layered, type Placed } from '../../lib/browser/layers';
import { Secondary } from '../../ui/layout/Secondary';

const WIDTH = 136;
const HEIGHT = 30;
const GAP = 16;
const BETWEEN = 34;
/** Characters of a name that fit into its box. */
const SHOWN = 20;

type Dependencies = Pick<SessionDetail, 'dependencies'>;

/** What depends on what, from above to below. The list beside it says the same in words. */
export default function DependencyPicture({ dependencies }: Dependencies) {
  const arrow = useId();
  const placed = layered(dependencies);
  const width = Math.max(...placed.map(left)) + WIDTH;
  const height = Math.max(...placed.map(top)) + HEIGHT;
  const names = new Set(dependencies.flatMap(({ from, to }) => [from, to]));
  return (
    <>
      <Box
        role="region"
        aria-label="Picture of the dependencies"
        tabIndex={0}
        sx={{ overflow: 'auto', maxHeight: 420, py: 0.5 }}
      >
        <svg
          role="img"
          aria-label={`${placed.length} objects; an arrow leads to what an object depends on`}
          width={width + 2}
          height={height + 2}
          viewBox={`-1 -1 ${width + 2} ${height + 2}`}
          style={{ display: 'block', font: 'inherit', fontSize: 11 }}
        >
          <marker
            id={arrow}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" fill="var(--mui-palette-text-secondary)" />
          </marker>
          <Arrows dependencies={dependencies} placed={placed} marker={`url(#${arrow})`} />
          {placed.map((one) => (
            <Named key={one.name} placed={one} />
          ))}
        </svg>
      </Box>
      {names.size > placed.length && (
        <Secondary size="small">{`${names.size - placed.length} more are in the list.`}</Secondary>
      )}
    </>
  );
}

interface ArrowsProps extends Dependencies {
  readonly placed: readonly Placed[];
  readonly marker: string;
}

function Arrows({ dependencies, placed, marker }: ArrowsProps) {
  const at = new Map(placed.map((one) => [one.name, one]));
  return dependencies.map(({ from, relation, to }) => {
    const [start, end] = [at.get(from), at.get(to)];
    if (start === undefined || end === undefined || start === end) return null;
    return (
      <path
        key={`${from} ${relation} ${to}`}
        d={line(start, end)}
        fill="none"
        stroke="var(--mui-palette-text-secondary)"
        markerEnd={marker}
      />
    );
  });
}

function Named({ placed }: { readonly placed: Placed }) {
  const name = showBidiControls(placed.name);
  return (
    <g transform={`translate(${left(placed)} ${top(placed)})`}>
      <title>{name}</title>
      <rect
        width={WIDTH}
        height={HEIGHT}
        rx={6}
        fill="var(--mui-palette-background-paper)"
        stroke="var(--mui-palette-divider)"
      />
      <text
        x={WIDTH / 2}
        y={HEIGHT / 2}
        textAnchor="middle"
        dominantBaseline="central"
        fill="var(--mui-palette-text-primary)"
      >
        {shortened(name)}
      </text>
    </g>
  );
}

function left({ place }: Placed): number {
  return place * (WIDTH + GAP);
}

function top({ layer }: Placed): number {
  return layer * (HEIGHT + BETWEEN);
}

/** From the lower edge of one box to the upper edge of the other; back up beside the boxes. */
function line(start: Placed, end: Placed): string {
  const [fromX, toX] = [left(start) + WIDTH / 2, left(end) + WIDTH / 2];
  if (end.layer > start.layer) {
    const [fromY, toY] = [top(start) + HEIGHT, top(end)];
    const middle = (fromY + toY) / 2;
    return `M${fromX} ${fromY}C${fromX} ${middle} ${toX} ${middle} ${toX} ${toY}`;
  }
  const [fromY, toY] = [top(start), top(end) + HEIGHT];
  const aside = Math.max(fromX, toX) + WIDTH / 2;
  return `M${fromX} ${fromY}C${aside} ${fromY - BETWEEN} ${aside} ${toY + BETWEEN} ${toX} ${toY}`;
}

/** The beginning and the end of a long name: names of one workload differ at the end. */
function shortened(name: string): string {
  const letters = [...name];
  if (letters.length <= SHOWN) return name;
  const kept = Math.floor((SHOWN - 1) / 2);
  return `${letters.slice(0, kept).join('')}…${letters.slice(-kept).join('')}`;
}
