// The page's data: a header of JSON and columns of numbers, deflated, as base64. grader/report/viewer/page.py writes it.

const TYPES = { u8: Uint8Array, i16: Int16Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array };
const KINDS_OF_ACCESS = ['load', 'store', 'atomic', 'bad load', 'bad store'];

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

async function decode(base64) {
  const buffer = await inflate(base64);
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const start = 8 + Math.ceil(length / 8) * 8;
  header.sides.forEach((side) => unpack(side, buffer, start));
  return header;
}

// Turns a side's columns into typed arrays. Places were written as differences; `first[i]` is where step i's begin.
function unpack(side, buffer, start) {
  const columns = {};
  for (const [name, [type, offset, count]] of Object.entries(side.columns))
    columns[name] = new TYPES[type](buffer, start + offset, count);
  const { places, count } = columns;
  for (let i = 1; i < places.length; ++i) places[i] += places[i - 1];
  const first = new Uint32Array(count.length + 1);
  for (let i = 0; i < count.length; ++i) first[i + 1] = first[i] + count[i];
  Object.assign(side, { columns, first, steps: count.length });
}

function lanesOf(mask) {
  const lanes = [];
  for (let lane = 0; lane < 32; ++lane) if ((mask >>> lane) & 1) lanes.push(lane);
  return lanes;
}

// One warp instruction with its lanes, as Step in grader/devices/emulator/recording.py.
function stepAt(side, i) {
  const { columns, first } = side;
  const array = columns.array[i] < 0 ? null : side.arrays[columns.array[i]];
  const kind = side.kinds[columns.kind[i]];
  const offsets = Array.from(columns.places.subarray(first[i], first[i + 1]));
  return {
    kind, array, offsets,
    block: side.blocks[columns.block[i]], warp: columns.warp[i], line: columns.line[i],
    mask: columns.mask[i], bytes: columns.bytes[i],
    lanes: lanesOf(columns.mask[i]),
    space: array ? array.space : '',
    addresses: array ? offsets.map((offset) => offset + array.start) : [],
    isAccess: KINDS_OF_ACCESS.includes(kind),
  };
}
