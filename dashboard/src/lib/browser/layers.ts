/** An arrow between two names. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** A name with its place in a drawing of layers. */
export interface Placed {
  readonly name: string;
  readonly layer: number;
  /** Its place among those of the same layer, from 0. */
  readonly place: number;
}

/** More names would not be readable. */
export const MAX_NAMES = 40;

/**
 * The names of a graph in layers: each below all that lead to it, those nearest to the average place of these first. Arrows
 * that close a circle do not count. Names beyond `MAX_NAMES` are left out.
 */
export function layered(edges: readonly Edge[]): readonly Placed[] {
  const names = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].slice(0, MAX_NAMES);
  const forward = withoutCircles(names, edges);
  const layers = new Map(names.map((name) => [name, 0]));
  // Each pass settles at least one more layer.
  for (let pass = 0; pass < names.length; pass += 1) {
    for (const { from, to } of forward) {
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(from) ?? 0) + 1));
    }
  }
  const placed: Placed[] = [];
  const depth = Math.max(0, ...layers.values());
  for (let layer = 0; layer <= depth; layer += 1) {
    const above = new Map(placed.map(({ name, place }) => [name, place]));
    const row = names
      .filter((name) => layers.get(name) === layer)
      .map((name, index) => ({ name, at: average(name, forward, above) ?? index }))
      .sort((one, other) => one.at - other.at);
    placed.push(...row.map(({ name }, place) => ({ name, layer, place })));
  }
  return placed;
}

function average(
  name: string,
  edges: readonly Edge[],
  above: ReadonlyMap<string, number>,
): number | null {
  const places = edges.flatMap(({ from, to }) => (to === name ? [above.get(from)] : []));
  const known = places.filter((place) => place !== undefined);
  if (known.length === 0) return null;
  return known.reduce((sum, place) => sum + place, 0) / known.length;
}

/** The arrows between these names, without those that lead back to a name above. */
function withoutCircles(names: readonly string[], edges: readonly Edge[]): readonly Edge[] {
  const known = new Set(names);
  const kept: Edge[] = [];
  for (const edge of edges) {
    const isKnown = known.has(edge.from) && known.has(edge.to);
    if (isKnown && !reaches(edge.to, edge.from, kept)) kept.push(edge);
  }
  return kept;
}

function reaches(start: string, end: string, edges: readonly Edge[]): boolean {
  const seen = new Set([start]);
  for (const name of seen) {
    if (name === end) return true;
    for (const { from, to } of edges) if (from === name) seen.add(to);
  }
  return false;
}
