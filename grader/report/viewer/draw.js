// Pictures of one step, as SVG in text. Each has a sentence that says the same (`words`), for those who do not see it.

const CELL = 20, LEFT = 92, MOST_ROWS = 40;

const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const many = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

function svg(height, label, parts) {
  const width = LEFT + 32 * CELL + 2;
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">${parts.join('')}</svg>`;
}

// Squares with a text each. All of a kind are one path: 40 rows have 1280 of them, and each step draws them anew.
function grid() {
  const outlines = {}, texts = [], side = CELL - 1;
  const add = (column, y, kind, text) => {
    const x = LEFT + column * CELL;
    outlines[kind] = `${outlines[kind] || ''}M${x + 0.5} ${y + 0.5}h${side}v${side}h-${side}z`;
    if (text !== '') texts.push(`<text class="on-${kind}" x="${x + CELL / 2}" y="${y + 14}" text-anchor="middle">${escaped(text)}</text>`);
  };
  return { add, drawn: () => [...Object.entries(outlines).map(([kind, d]) => `<path class="${kind}" d="${d}"/>`), ...texts] };
}

const rowLabel = (y, text) => `<text class="soft" x="${LEFT - 6}" y="${y + 14}" text-anchor="end">${escaped(text)}</text>`;
const lanesText = (lanes) => (lanes.length === 1 ? String(lanes[0]) : `×${lanes.length}`);

// ---- active lanes ----

function drawLanes(step) {
  const cells = grid();
  for (let lane = 0; lane < 32; ++lane) cells.add(lane, 0, (step.mask >>> lane) & 1 ? 'asked' : 'idle', lane);
  return svg(CELL + 2, `active lanes: ${lanesInWords(step.mask) || 'none'}`, [rowLabel(0, 'lane'), ...cells.drawn()]);
}

// ---- global memory: a row for each line of 128 bytes, four sectors in it ----

function drawMemory(step) {
  const rows = memoryRows(step), shown = rows.slice(0, MOST_ROWS), parts = [], frames = [], cells = grid();
  let y = 16, before = null;
  for (let sector = 0; sector < 4; ++sector)
    parts.push(`<text class="soft" x="${LEFT + (8 * sector + 4) * CELL}" y="11" text-anchor="middle">sector of 32 bytes</text>`);
  for (const row of shown) {
    if (before !== null && row.line !== before + 1) {
      parts.push(`<text class="soft" x="${LEFT - 6}" y="${y + 8}" text-anchor="end">⋮</text>`);
      y += 10;
    }
    before = row.line;
    parts.push(rowLabel(y, `byte ${(row.line * LINE - step.array.start).toLocaleString('en')}`));
    for (let column = 0; column < 32; ++column) {
      const lanes = row.words[column];
      cells.add(column, y, lanes ? 'asked' : row.sectors[column >> 3] ? 'wasted' : 'absent', lanes ? lanesText(lanes) : '');
    }
    const frame = [0, 1, 2, 3].map((sector) => `M${LEFT + 8 * sector * CELL} ${y}h${8 * CELL}v${CELL}h-${8 * CELL}z`);
    frames.push(`<path class="frame" d="${frame.join('')}"/>`);
    y += CELL + 4;
  }
  if (rows.length > shown.length) parts.push(rowLabel(y, `… ${rows.length - shown.length} more`)), (y += CELL);
  const { cost, best } = costOf(step);
  parts.push(...cells.drawn(), ...frames);
  return svg(y, `${many(rows.length, 'line')} of 128 bytes, ${many(cost, 'sector')} move; ${best} would hold what is asked for`, parts);
}

// ---- shared memory: 32 banks, a row for each wavefront ----

function drawBanks(step) {
  const rows = bankRows(step), shown = rows.slice(0, MOST_ROWS), parts = [rowLabel(0, 'bank')];
  const cells = grid(), corners = [];
  for (let bank = 0; bank < 32; ++bank)
    parts.push(`<text class="soft" x="${LEFT + (bank + 0.5) * CELL}" y="14" text-anchor="middle">${bank}</text>`);
  let y = CELL;
  shown.forEach((row, number) => {
    parts.push(rowLabel(y, `wavefront ${number + 1}${row.depth ? ' !' : ''}`));
    for (let bank = 0; bank < 32; ++bank) {
      const word = row.banks[bank];
      const kind = !word ? 'absent' : row.depth ? 'conflict' : 'asked';
      cells.add(bank, y, kind, word ? lanesText(word.lanes) : '');
      if (word && row.depth) corners.push(`<path class="corner" d="M${LEFT + bank * CELL + 1} ${y + 1}h7l-7 7z"/>`);
    }
    y += CELL + 2;
  });
  if (rows.length > shown.length) parts.push(rowLabel(y, `… ${rows.length - shown.length} more`)), (y += CELL);
  parts.push(...cells.drawn(), ...corners);
  const conflicts = rows.filter((row) => row.depth).length;
  return svg(y, `${many(rows.length, 'wavefront')}, of which ${many(conflicts, 'bank conflict')}`, parts);
}

// ---- shuffles: from the lane that gives to the lane that takes ----

function drawShuffle(step) {
  const gap = 70, cells = grid(), parts = [rowLabel(0, 'gives'), rowLabel(CELL + gap, 'takes')];
  const giving = new Set(step.offsets), middle = (lane) => LEFT + (lane + 0.5) * CELL;
  for (let lane = 0; lane < 32; ++lane) {
    cells.add(lane, 0, giving.has(lane) ? 'asked' : 'idle', lane);
    cells.add(lane, CELL + gap, step.lanes.includes(lane) ? 'asked' : 'idle', lane);
  }
  parts.push(...cells.drawn());
  step.lanes.forEach((lane, at) => {
    const own = step.offsets[at] === lane ? ' own' : '', to = middle(lane), bottom = CELL + gap;
    parts.push(`<path class="arrow${own}" d="M${middle(step.offsets[at])} ${CELL}L${to} ${bottom}m-3 -6l3 6l3 -6"/>`);
  });
  const pairs = step.lanes.map((lane, at) => `${step.offsets[at]} to ${lane}`).join(', ');
  return svg(2 * CELL + gap + 2, `from lane to lane: ${pairs}`, parts);
}

// ---- a product on a tensor core: a on the left, b above, c where they meet; the lane that holds each register of them ----

function drawFragments({ offsets: [, , , k, per] }) {
  const { a, b, c } = fragments(k, per), cells = grid(), parts = [], above = b.length + 1, left = a[0].length + 1;
  const add = (lanes, column, row) => lanes.forEach((held, y) => held.forEach((lane, x) =>
    cells.add(column + x, (row + y) * CELL + 16, lane ? 'idle' : 'asked', lane)));
  const name = (column, row, text) => parts.push(`<text class="soft" x="${LEFT + column * CELL}" y="${row * CELL + 11}">${text}</text>`);
  add(a, 0, above), add(b, left, 0), add(c, left, above);
  name(left, 0, `b, ${k} × 8: ${per === 1 ? 'a cell is an element' : `a cell of a and b is ${per} elements along k`}`);
  name(0, above, `a, 16 × ${k}`);
  name(left + 8.3, above + 1, 'c, 16 × 8: sums');
  return svg((above + 17) * CELL, 'which lane holds which registers of a, b and c; those of lane 0 are filled', [...parts, ...cells.drawn()]);
}

// ---- divergence: the way down from the whole warp to the lanes that work now, and who waits at each turn ----

function strip(mask, kind) {
  const cells = [];
  for (let lane = 0; lane < 32; ++lane)
    cells.push(`<rect class="${(mask >>> lane) & 1 ? kind : 'absent'}" x="${lane * 7 + 0.5}" y="0.5" width="6" height="9"/>`);
  return `<svg class="strip" viewBox="0 0 225 10" aria-hidden="true">${cells.join('')}</svg>`;
}

function drawTree(levels) {
  const item = (level, depth) => {
    const here = depth === levels.length - 1;
    const waits = level.waiting.map(({ mask, line }) => {
      const does = line === null ? 'have returned' : `wait, to go on at line ${line}`;
      return `<li class="waits">${strip(mask, 'wait')} lanes ${lanesInWords(mask)} ${does}</li>`;
    });
    const below = here ? '' : item(levels[depth + 1], depth + 1);
    const inner = below + waits.join('');
    const says = here ? 'work now' : depth ? 'took this way' : 'came here together';
    return `<li>${strip(level.mask, 'asked')} line ${level.line}: lanes ${lanesInWords(level.mask)} ${says}${inner ? `<ul>${inner}</ul>` : ''}</li>`;
  };
  return `<ul class="tree">${item(levels[0], 0)}</ul>`;
}

// ---- which pictures a step has ----

const PICTURES = [
  { title: 'Lanes', when: (step) => step.warp >= 0, draw: drawLanes },
  { title: 'Global memory, as lines of 128 bytes', when: (step) => step.isAccess && step.array && !['shared', 'local'].includes(step.space), draw: drawMemory },
  { title: 'Shared memory, as 32 banks', when: (step) => step.isAccess && step.space === 'shared', draw: drawBanks },
  { title: 'Asynchronous copy, as 32 banks', when: (step) => step.kind === 'copy' || step.kind === 'landed', draw: drawBanks },
  { title: 'Tensor core: the lane that holds each register', when: (step) => step.kind === 'product' && step.offsets.length > 0, draw: drawFragments },
  { title: 'Shuffle', when: (step) => step.kind === 'shuffle', draw: drawShuffle },
];

const VERBS = {
  load: 'loads', store: 'stores to', atomic: 'updates', 'bad load': 'tries to load', 'bad store': 'tries to store to',
  copy: 'begins an asynchronous copy into', landed: 'has waited for an asynchronous copy into',
};

function sizesOf([left, right, deep, k]) {
  if (!left) return '';
  const count = left * right * deep, times = count === 1 ? '' : ` in ${count} instructions`;
  return `: ${16 * left} × ${k * deep} by ${k * deep} × ${8 * right}, added to ${16 * left} × ${8 * right}${times}`;
}

// The step in one sentence.
function words(side, step) {
  if (step.kind === 'barrier') return `All warps of ${step.block} meet at the barrier in line ${step.line}.`;
  const who = `Warp ${step.warp} of ${step.block}`, lanes = many(step.lanes.length, 'lane');
  if (step.kind === 'block') return `${who} goes on with ${lanes} at line ${step.line}.`;
  if (step.kind === 'shuffle') return `${who}: ${lanes} exchange values by a shuffle.`;
  if (step.kind === 'warp') return `${who}: ${lanes} meet in a warp operation.`;
  if (step.kind === 'matrices') return `${who}: ${lanes} exchange pieces of matrices, so that each has its registers of a fragment.`;
  if (step.kind === 'product') return `${who} multiplies on a tensor core${sizesOf(step.offsets)}.`;
  const { name, bytes } = step.array, array = name.endsWith('memory') ? name : `${name} (${step.space} memory)`;
  const what = `${who} ${VERBS[step.kind]} ${array}: ${lanes}, ${many(step.bytes, 'byte')} each`;
  if (step.kind.startsWith('bad')) return `${what}. It is refused: byte ${step.offsets[0].toLocaleString('en')} of ${bytes.toLocaleString('en')}.`;
  if (step.space === 'local') return `${what}. On a GPU they are registers, where nvcc knows each index.`;
  const { unit, cost, best } = costOf(step);
  if (!unit) return `${what}.`;
  const costs = unit === 'wavefronts' ? many(cost, 'wavefront') : many(cost, 'sector');
  return `${what}. It takes ${costs}${cost > best ? `, where ${best} would do` : ', the least that there can be'}.`;
}
