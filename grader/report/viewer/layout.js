// Where steps stand among others: scopes, who waits, copies under way, sums of a line. Pure functions behind touches.js;
// draw.js draws what they return.

// Steps of one warp (warp given), of one block, or of all: their numbers, in the order in which they ran.
function inScope(side, block, warp) {
  const { columns, steps } = side, found = new Uint32Array(steps);
  let count = 0;
  for (let i = 0; i < steps; ++i) {
    if (block !== null && columns.block[i] !== block) continue;
    if (warp !== null && columns.warp[i] !== warp && columns.warp[i] !== -1) continue;
    found[count++] = i;
  }
  return found.subarray(0, count);
}

// Who waits while this step's lanes work: from the whole warp down to them, each time that lanes parted, as
// { line, mask, waiting: [{ mask, line }] }. A waiting group goes on at `line`; null: these lanes have returned.
function divergence(side, i, most = 20000) {
  const { columns } = side, warp = columns.warp[i], block = columns.block[i], own = columns.mask[i];
  if (warp < 0) return [];
  const isOurs = (at) => columns.warp[at] === warp && columns.block[at] === block;
  const levels = [{ line: columns.line[i], mask: own }];
  let steps = 0;
  for (let at = i - 1, now = own; at >= 0 && ++steps < most; --at) {
    if (!isOurs(at) || !columns.mask[at]) continue;
    const mask = columns.mask[at];
    if ((mask & now) === now && mask !== now) {
      levels.unshift({ line: columns.line[at], mask });
      now = mask;
    }
  }
  let missing = levels[0].mask & ~own, next = {};
  for (let at = i + 1, ahead = 0; at < side.steps && missing && ++ahead < most; ++at) {
    if (!isOurs(at)) continue;
    for (const lane of lanesOf(columns.mask[at] & missing)) next[lane] = columns.line[at];
    missing &= ~columns.mask[at];
  }
  return levels.map((level, depth) => {
    const below = depth + 1 < levels.length ? levels[depth + 1].mask : level.mask, groups = new Map();
    for (const lane of lanesOf(level.mask & ~below)) {
      const line = lane in next ? next[lane] : null;
      groups.set(line, (groups.get(line) || 0) | (1 << lane));
    }
    return { line: level.line, mask: level.mask >>> 0, waiting: [...groups].map(([line, mask]) => ({ line, mask: mask >>> 0 })) };
  });
}

// Asynchronous copies of a scope, from where they begin to where their threads have waited: positions in `scope`.
function copiesIn(side, scope) {
  const { columns } = side, copy = side.kinds.indexOf('copy'), landed = side.kinds.indexOf('landed');
  const open = new Map(), found = [];
  scope.forEach((i, at) => {
    const kind = columns.kind[i];
    if (kind !== copy && kind !== landed) return;
    const key = `${columns.block[i]} ${columns.warp[i]} ${columns.array[i]} ${columns.places[side.first[i]]}`;
    if (kind === copy) {
      const begun = { step: i, start: at, end: scope.length, warp: columns.warp[i], line: columns.line[i] };
      found.push(begun);
      open.set(key, begun);
    } else if (open.has(key)) {
      open.get(key).end = at;
      open.delete(key);
    }
  });
  return found;
}

// Sums by line, up to and with each step: { requests, cost, best }. `run(until)` goes on to a step.
function running(side) {
  const size = side.steps, requests = new Uint32Array(size), cost = new Uint32Array(size), best = new Uint32Array(size);
  const lines = new Map();
  let done = 0;
  const run = (until) => {
    for (; done < Math.min(until, size); ++done) {
      if (side.columns.array[done] < 0) continue;
      const step = stepAt(side, done), key = `${step.line} ${step.kind} ${step.space}`;
      if (!step.isAccess) continue;
      const sums = lines.get(key) || [0, 0, 0], costs = costOf(step);
      lines.set(key, sums);
      sums[0] += 1, sums[1] += costs.cost, sums[2] += costs.best;
      [requests[done], cost[done], best[done]] = sums;
    }
    return done >= size;
  };
  return { run, done: () => done, at: (i) => ({ requests: requests[i], cost: cost[i], best: best[i] }) };
}

// The lane that holds each register of a product's operands: a with 16 rows, b with 8 columns, `per` elements along k in
// each register; c with 16 rows of 8 sums. include/ladder/fragments.h has the rule.
function fragments(k, per) {
  const table = (rows, columns, lane) => Array.from({ length: rows }, (_, y) => Array.from({ length: columns }, (_, x) => lane(y, x)));
  return {
    a: table(16, k / per, (y, x) => 4 * (y % 8) + (x % 4)),
    b: table(k / per, 8, (y, x) => 4 * x + (y % 4)),
    c: table(16, 8, (y, x) => 4 * (y % 8) + (x >> 1)),
  };
}

// Lanes as people write them: 0-7, 12, 16-31.
function lanesInWords(mask) {
  const parts = [];
  for (let lane = 0; lane < 32; ++lane) {
    if (!((mask >>> lane) & 1)) continue;
    const first = lane;
    while (lane < 31 && (mask >>> (lane + 1)) & 1) ++lane;
    parts.push(first === lane ? `${first}` : `${first}-${lane}`);
  }
  return parts.join(', ');
}
