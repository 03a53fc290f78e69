// All steps of a scope at a glance, on a canvas: a row for each warp, barriers across, copies as bars, findings on top.

const HEAD = 14, MOST_TIMELINE_ROWS = 32, TALLEST = 11, SHORTEST = 5, ROOM_FOR_ROWS = 130;
const RANK = { block: 1, warp: 2, shuffle: 2, matrices: 2, product: 3, copy: 3, landed: 3, load: 4, store: 4, atomic: 4, 'bad load': 5, 'bad store': 5 };

// Whether a step touches a thread's own variables, most of which are registers on a GPU.
const isOwn = (side, i) => side.columns.array[i] >= 0 && side.arrays[side.columns.array[i]].space === 'local';
const rankOf = (side, i) => (isOwn(side, i) ? 1 : RANK[side.kinds[side.columns.kind[i]]]);

// The rows of a scope: the warps that are in it, by block.
function timelineRows(side, scope) {
  const rows = new Map();
  for (const i of scope) {
    const warp = side.columns.warp[i], key = `${side.columns.block[i]} ${warp}`;
    if (warp >= 0 && !rows.has(key)) rows.set(key, { block: side.columns.block[i], warp });
  }
  const sorted = [...rows.values()].sort((a, b) => a.block - b.block || a.warp - b.warp);
  return sorted.slice(0, MOST_TIMELINE_ROWS);
}

// What to paint in each pixel of each row: the step that matters most among those that fall there; -1: none.
function bins(side, scope, rows, width) {
  const { columns } = side, number = new Map(rows.map((row, at) => [`${row.block} ${row.warp}`, at]));
  const found = new Int32Array(rows.length * width).fill(-1), barriers = new Set();
  for (let at = 0; at < scope.length; ++at) {
    const i = scope[at], x = Math.floor((at * width) / scope.length), kind = side.kinds[columns.kind[i]];
    if (kind === 'barrier') barriers.add(x);
    const row = number.get(`${columns.block[i]} ${columns.warp[i]}`);
    if (row === undefined) continue;
    const place = row * width + x, other = found[place];
    if (other < 0 || rankOf(side, i) > rankOf(side, other)) found[place] = i;
  }
  return { found, barriers };
}

function colourOf(side, i, css) {
  const kind = side.kinds[side.columns.kind[i]], array = side.columns.array[i];
  if (kind.startsWith('bad')) return css.conflict;
  if (kind === 'block' || isOwn(side, i)) return css.line;
  if (['shuffle', 'warp', 'matrices', 'product'].includes(kind)) return css.shuffle;
  if (kind === 'copy' || kind === 'landed') return css.copy;
  return array >= 0 && side.arrays[array].space === 'shared' ? css.shared : css.asked;
}

function drawTimeline(canvas, side, scope, marks) {
  const rows = timelineRows(side, scope), ratio = window.devicePixelRatio || 1;
  const tall = Math.max(SHORTEST, Math.min(TALLEST, ROOM_FOR_ROWS / rows.length));
  const width = Math.max(200, canvas.parentElement.clientWidth), height = HEAD + rows.length * tall + 4;
  canvas.width = width * ratio, canvas.height = height * ratio, canvas.style.height = `${height}px`;
  const pen = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
  const css = Object.fromEntries(['asked', 'shared', 'shuffle', 'copy', 'conflict', 'line', 'ink', 'finding']
    .map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  pen.scale(ratio, ratio);
  pen.clearRect(0, 0, width, height);
  const { found, barriers } = bins(side, scope, rows, width), thick = Math.max(1, width / Math.max(scope.length, 1));
  found.forEach((i, place) => {
    if (i < 0) return;
    const kind = side.kinds[side.columns.kind[i]], low = rankOf(side, i) === 1 ? tall / 4 : 0;
    pen.fillStyle = colourOf(side, i, css);
    pen.fillRect(place % width, HEAD + Math.floor(place / width) * tall + low, thick, tall - 3 - low);
  });
  const at = (position) => (position * width) / Math.max(scope.length, 1);
  pen.fillStyle = css.copy;
  for (const copy of copiesIn(side, scope).slice(0, 4000)) {
    const row = rows.findIndex((each) => each.warp === copy.warp && each.block === side.columns.block[copy.step]);
    if (row >= 0) pen.fillRect(at(copy.start), HEAD + row * tall + tall - 2.5, Math.max(1, at(copy.end) - at(copy.start)), 2);
  }
  pen.fillStyle = css.ink;
  for (const x of barriers) pen.fillRect(x, HEAD - 3, 1, height - HEAD + 1);
  pen.fillStyle = css.finding;
  for (const mark of marks) diamond(pen, at(mark), 6);
}

function diamond(pen, x, y) {
  pen.beginPath();
  pen.moveTo(x, y - 5), pen.lineTo(x + 5, y), pen.lineTo(x, y + 5), pen.lineTo(x - 5, y);
  pen.fill();
}
