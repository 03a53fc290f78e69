// Numbers that one can push, each with a sentence and a picture of what follows. It goes behind touches.js, which says
// what an access touches, and two constants: `ASKED` is sliders.json, `MACHINES` holds numbers of cards. LOOKS is pure, and
// grader/report/sliders.py says the same sentences; `mount` puts them on a page.

const WARP = [...Array(32).keys()], HOLDS = ASKED.holds, SLIDERS = ASKED.sliders;
const percent = (share) => `${Math.round(100 * share)} %`;
const several = (count, one) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
const time = (s) => (s < 1e-3 ? `${(1e6 * s).toPrecision(3)} µs` : s < 1 ? `${(1e3 * s).toPrecision(3)} ms` : `${s.toPrecision(3)} s`);
// A card that is not measured is told as a range: from half of a number to twice as much.
const UNMEASURED = ' This card is not measured: each range is from half to twice an estimate.';
const factor = (card) => (MACHINES[card].measured ? 1 : 2);
const ranged = (value, by, said) => (by === 1 ? said(value) : `${said(value / by)} to ${said(value * by)}`);
const rate = (r) => `${(r / 1e12).toPrecision(3)} TB/s`;

const LOOKS = {
  sectors({ stride, offset, width }) {
    const step = { lanes: WARP, bytes: width, addresses: WARP.map((lane) => offset + lane * stride * width) };
    const sectors = plainSectors(step), useful = distinct(step.addresses) * width;
    const rows = memoryRows(step), shown = rows.slice(0, 12);
    const moving = (row) => WARP.map((word) => (row.words[word] ? 'asked' : row.sectors[word >> 3] ? 'moves' : ''));
    return {
      says: `The lanes ask for ${useful} bytes. ${several(sectors, 'sector')} of 32 bytes `
        + `move${sectors === 1 ? 's' : ''}, ${Math.ceil(useful / SECTOR)} would do: `
        + `${percent(useful / (SECTOR * sectors))} of what moves was asked for.`,
      draws: cells(shown.map((row) => [`byte ${128 * row.line}`, moving(row)]), rows.length - shown.length),
    };
  },
  banks({ pitch, column, swizzle }) {
    const addresses = WARP.map((row) => WORD * (row * pitch + (swizzle === 'yes' ? column ^ row : column)));
    const wavefronts = bankRows({ kind: 'load', bytes: WORD, lanes: WARP, addresses, offsets: addresses });
    const used = distinct(addresses.map((address) => (address / WORD) % BANKS));
    const taken = ({ depth, banks }) => WARP.map((bank) => (banks[bank] ? (depth ? 'late' : 'asked') : ''));
    return {
      says: `Lane r reads row r. The 32 words lie in ${several(used, 'bank')}: `
        + `${several(wavefronts.length, 'wavefront')}, where 1 would do.`,
      draws: cells(wavefronts.slice(0, 12).map((row, i) => [`wavefront ${i + 1}`, taken(row)]), wavefronts.length - 12),
    };
  },
  roofline({ m, n, k, tile, precision, card }) {
    const size = precision === 'fp32' ? 4 : 2, down = Math.ceil(m / tile), across = Math.ceil(n / tile);
    const bytes = size * (k * (m * across + n * down) + m * n), flops = 2 * m * n * k;
    const memory = bytes / MACHINES[card].copy, arithmetic = flops / MACHINES[card][precision], by = factor(card);
    const slow = ranged(memory, by, time), busy = ranged(arithmetic, by, time), apart = by * by;
    const pace = memory > apart * arithmetic ? 'Memory sets' : apart * memory <= arithmetic ? 'Arithmetic sets' : 'Either may set';
    return {
      says: `${(flops / bytes).toPrecision(3)} flop a byte, if no cache helped: memory takes ${slow}, `
        + `arithmetic ${busy}. ${pace} the pace.${by === 1 ? '' : UNMEASURED}`,
      draws: bars([['memory', memory, slow], ['arithmetic', arithmetic, busy]]),
    };
  },
  occupancy({ threads, registers, shared }) {
    const warps = threads / 32, each = 256 * Math.ceil(registers / 8);  // a warp's registers are given 256 at a time
    const byRegisters = HOLDS.partitions * Math.floor(HOLDS.registers / HOLDS.partitions / each);
    const limits = [
      ['threads', Math.floor(HOLDS.threads / threads)], ['blocks', HOLDS.blocks],
      ['registers', Math.floor(byRegisters / warps)],
      ['shared memory', Math.floor(HOLDS.sharedKB / (shared + HOLDS.keptKB))],
    ];
    const blocks = Math.min(...limits.map(([, most]) => most)), held = blocks * warps;
    const by = limits.filter(([, most]) => most === blocks).map(([name]) => name).join(' and ');
    const room = (most) => Math.min(most * warps, 2 * HOLDS.warps);
    return {
      says: `${several(blocks, 'block')}, ${several(held, 'warp')} of ${HOLDS.warps}: an occupancy of `
        + `${percent(held / HOLDS.warps)}, limited by ${by}.`,
      draws: bars(limits.map(([name, most]) => [name, room(most), `room for ${most * warps} warps`])),
    };
  },
  waves({ m, n, tile, resident }) {
    const blocks = Math.ceil(m / tile) * Math.ceil(n / tile), slots = MACHINES.H200.multiprocessors * resident;
    const waves = Math.ceil(blocks / slots);
    const inside = (m * n) / (blocks * tile * tile), busy = blocks / (waves * slots);
    return {
      says: `${several(blocks, 'block')} in ${several(waves, 'wave')} of ${slots}: ${percent(inside)} of the tiles `
        + `lies in the matrix, ${percent(busy)} of the places in the waves are taken; together `
        + `${percent(inside * busy)}.`,
      draws: bars([['tiles', inside, percent(inside)], ['waves', busy, percent(busy)],
        ['together', inside * busy, percent(inside * busy)]], 1),
    };
  },
  little({ warps, loads, width, card }) {
    const { read, latency, multiprocessors } = MACHINES[card], by = factor(card);
    const flying = warps * loads * width * 32, needed = (read * latency) / multiprocessors;
    const reached = (bytes) => Math.min(1, flying / bytes), kb = (bytes) => `${(bytes / 1000).toPrecision(3)} KB`;
    const share = [...new Set([by, 1 / by].map((each) => percent(reached(each * needed))))].join(' to ');
    const takes = by === 1 ? `, and a load takes ${Math.round(1e9 * latency)} ns: at most ${rate(reached(needed) * read)}, ` : ': at most ';
    return {
      says: `${kb(flying)} are on their way to each multiprocessor${takes}${share} of what memory gives. `
        + `${ranged(needed, by, kb)} would do.${by === 1 ? '' : UNMEASURED}`,
      draws: bars([['on their way', flying, kb(flying)], ['needed', needed, ranged(needed, by, kb)]]),
    };
  },
};

// Rows of 32 cells, each of a class: '', 'moves', 'asked' or 'late'.
function cells(rows, more) {
  const square = (kind, at, y) => `<rect class="cell ${kind}" x="${90 + 17 * at}" y="${y}" width="15" height="15"/>`;
  const drawn = rows.map(([label, kinds], i) => `<text x="0" y="${20 * i + 13}">${label}</text>`
    + kinds.map((kind, at) => square(kind, at, 20 * i)).join(''));
  const rest = more > 0 ? `<text x="90" y="${20 * rows.length + 13}">… ${more} more</text>` : '';
  const height = 20 * (rows.length + (rest ? 1 : 0));
  return `<svg viewBox="0 0 640 ${height}" aria-hidden="true">${drawn.join('')}${rest}</svg>`;
}

// Horizontal bars: [name, value, what it says]; the longest, or `whole`, takes all the width.
function bars(list, whole = Math.max(...list.map(([, value]) => value))) {
  const drawn = list.map(([name, value, said], i) => `<text x="0" y="${28 * i + 15}">${name}</text>`
    + `<rect class="bar" x="120" y="${28 * i}" width="${Math.max(1, (360 * value) / whole)}" height="20"/>`
    + `<text x="${130 + (360 * value) / whole}" y="${28 * i + 15}">${said}</text>`);
  return `<svg viewBox="0 0 640 ${28 * list.length}" aria-hidden="true">${drawn.join('')}</svg>`;
}

// What a slider says and draws where its inputs are left as they are, but for those given.
function looked(name, given = {}) {
  const first = Object.entries(SLIDERS[name].inputs).map(([key, [, , value]]) => [key, value]);
  return LOOKS[name]({ ...Object.fromEntries(first), ...given });
}

// Fills <div class="slider" data-slider="banks" data-given='{"pitch": 33}'> with the controls, the sentence, the picture.
function mount(place) {
  const name = place.dataset.slider, given = JSON.parse(place.dataset.given);
  place.innerHTML = `<p>${SLIDERS[name].title}</p><div class="knobs"></div>`
    + '<p class="says" aria-live="polite"></p><div class="picture"></div>';
  const show = () => {
    const { says, draws } = looked(name, given);
    place.querySelector('.says').textContent = says;
    place.querySelector('.picture').innerHTML = draws;
  };
  for (const [key, [label, choices, first]] of Object.entries(SLIDERS[name].inputs)) {
    const knob = document.createElement('label'), now = given[key] ?? first;
    knob.innerHTML = `<span>${label}: <output>${now}</output></span>`
      + `<input type="range" max="${choices.length - 1}" value="${choices.indexOf(now)}" aria-valuetext="${now}">`;
    const input = knob.querySelector('input');
    input.addEventListener('input', () => {
      given[key] = choices[input.value];
      knob.querySelector('output').textContent = given[key];
      input.setAttribute('aria-valuetext', given[key]);
      show();
    });
    place.querySelector('.knobs').append(knob);
  }
  show();
}
