/** The steps of a script: each is counted and timed, and measurements stand beside their targets. */
import { appendFileSync } from 'node:fs';
import process from 'node:process';

/** How many of the slowest steps the last lines name. */
const SLOWEST = 3;

const started = Date.now();
const durations = [];
let passed = 0;
let failed = 0;

/** Runs, counts and times one step. A text that it returns is printed. */
export async function step(title, check) {
  const began = Date.now();
  try {
    const note = await check();
    passed += 1;
    console.log(`ok    ${title}${note ? `: ${note}` : ''} (${Date.now() - began} ms)`);
  } catch (error) {
    failed += 1;
    console.error(`FAIL  ${title}: ${error instanceof Error ? error.message : error}`);
    throw error;
  } finally {
    durations.push({ title, seconds: (Date.now() - began) / 1000 });
  }
}

export const hasFailed = () => failed > 0;

/** Counts what failed outside of a step. */
export function fail(name, error) {
  failed += 1;
  console.error(`FAIL  ${name}: ${error instanceof Error ? error.message : error}`);
}

/** Prints where the time went, then the number of steps: the last line. */
export function report(name) {
  const slowest = durations.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  const named = slowest.map(({ title, seconds }) => `${seconds.toFixed(1)} s ${title}`);
  const total = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`time  ${name}: ${total} s, of which ${named.join('; ')}`);
  console.log(`${name}: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Where measurements are written, a JSON document a line. */
const measurements = process.env.TARSY_MEASUREMENTS ?? '';
/** How often something is measured, where that is set. */
const atMostSamples = Number(process.env.TARSY_SAMPLES || Infinity);

export const samples = (count) => Math.min(count, atMostSamples);

/** Prints a measurement with its goal, such as `measure frames: 60 per second (at least 55)`. A missed goal does not fail. */
export function measure(name, { value, unit, atMost, atLeast }) {
  const goal = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  console.log(`measure ${name}: ${value} ${unit} (${goal})`);
  if (measurements === '') return;
  appendFileSync(measurements, `${JSON.stringify({ name, value, unit, goal })}\n`);
}

/** Runs checks side by side, so many at a time: what waits lets others work. All are run before the first failure is thrown. */
export async function sideBySide(lanes, items, check) {
  const waiting = [...items];
  const failures = [];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await check(item).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  if (failures.length > 0) throw failures[0];
}
