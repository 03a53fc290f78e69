// What an access touches, worked out as docs/emulator.md defines it: sectors, wavefronts. Pure functions, for the
// page of `ladder view` and for the sliders.

const LINE = 128, SECTOR = 32, WORD = 4, BANKS = 32;

const distinct = (values) => new Set(values).size;

function wordsOf(step, at) {
  const words = [], last = Math.floor((step.addresses[at] + Math.max(step.bytes, 1) - 1) / WORD);
  for (let word = Math.floor(step.addresses[at] / WORD); word <= last; ++word) words.push(word);
  return words;
}

// Rows of 128 bytes, from the lowest address: { line, sectors: the four that move, words: 32 lists of lanes }.
function memoryRows(step) {
  const rows = new Map();
  step.lanes.forEach((lane, at) => {
    for (const word of wordsOf(step, at)) {
      const line = Math.floor(word / 32), column = word - 32 * line;
      if (!rows.has(line)) rows.set(line, { line, sectors: [false, false, false, false], words: {} });
      const row = rows.get(line);
      row.sectors[column >> 3] = true;
      (row.words[column] = row.words[column] || []).push(lane);
    }
  });
  return [...rows.values()].sort((a, b) => a.line - b.line);
}

// The lanes of each phase in which shared memory serves a step: at once up to 4 bytes a lane, half a warp for 8, a
// quarter for 16. Loads whose neighbours share addresses need half as many. Atomics on one address take turns.
function phases(step) {
  if (step.kind === 'atomic') return turns(step);
  let size = step.bytes <= 4 ? 32 : step.bytes === 8 ? 16 : 8;
  if (step.kind === 'load' && step.bytes > 4 && neighboursShare(step)) size *= 2;
  const found = [];
  for (let first = 0; first < 32; first += size) {
    const lanes = step.lanes.filter((lane) => lane >= first && lane < first + size);
    if (lanes.length) found.push(lanes);
  }
  return found;
}

function turns(step) {
  const taken = new Map(), found = [];
  step.lanes.forEach((lane, at) => {
    const turn = taken.get(step.offsets[at]) || 0;
    taken.set(step.offsets[at], turn + 1);
    (found[turn] = found[turn] || []).push(lane);
  });
  return found;
}

function neighboursShare(step) {
  const at = new Map(step.lanes.map((lane, i) => [lane, step.offsets[i]]));
  return [1, 2].some((d) => step.lanes.every((lane) => !at.has(lane ^ d) || at.get(lane ^ d) === at.get(lane)));
}

// The wavefronts of an access to shared memory: { phase, depth, banks: { bank: { word, lanes } } }. Rows of one
// phase beyond its first are bank conflicts: their words lie in a bank that is taken.
function bankRows(step) {
  const rows = [], index = new Map(step.lanes.map((lane, at) => [lane, at]));
  phases(step).forEach((lanes, phase) => {
    const stacks = {};
    for (const lane of lanes)
      for (const word of wordsOf(step, index.get(lane))) {
        const stack = (stacks[((word % BANKS) + BANKS) % BANKS] ||= []);
        const known = stack.find((each) => each.word === word);
        if (known) known.lanes.push(lane);
        else stack.push({ word, lanes: [lane] });
      }
    const depth = Math.max(...Object.values(stacks).map((stack) => stack.length));
    for (let level = 0; level < depth; ++level) {
      const banks = {};
      for (const [bank, stack] of Object.entries(stacks)) if (stack[level]) banks[bank] = stack[level];
      rows.push({ phase, depth: level, banks });
    }
  });
  return rows;
}

// What one access costs, and what it would cost at best: sectors of global memory, or wavefronts of shared memory.
function costOf(step) {
  if (!step.isAccess || !step.array || step.space === 'local') return { unit: '', cost: 0, best: 0 };
  if (step.space === 'shared') {
    const rows = bankRows(step);
    return { unit: 'wavefronts', cost: rows.length, best: distinct(rows.map((row) => row.phase)) };
  }
  const sectors = step.kind === 'atomic' ? atomicSectors(step) : plainSectors(step);
  const useful = distinct(step.offsets) * step.bytes;
  return { unit: 'sectors', cost: sectors, best: Math.min(sectors, Math.ceil(useful / SECTOR)) };
}

function plainSectors(step) {
  const touched = new Set();
  for (const address of step.addresses)
    for (let byte = address; byte < address + step.bytes; byte += WORD) touched.add(Math.floor(byte / SECTOR));
  return touched.size;
}

// Lanes that update one address take turns: a sector moves as often as its most wanted address is asked for.
function atomicSectors(step) {
  const asked = new Map(), most = new Map();
  for (const address of step.addresses) {
    const times = (asked.get(address) || 0) + 1, sector = Math.floor(address / SECTOR);
    asked.set(address, times);
    most.set(sector, Math.max(most.get(sector) || 0, times));
  }
  return [...most.values()].reduce((a, b) => a + b, 0);
}
