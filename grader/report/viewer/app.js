// One side of the page: a kernel's source, its steps, and where the reader is. Keys go to the side that was used last.

const STEPS_A_SECOND = 6, COUNT_AT_ONCE = 2000, WORST_LOOKS_AT = 200;
const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;

function makeSide(side, root) {
  const find = (selector) => root.querySelector(selector);
  const slider = find('.slider'), scopes = find('.scope'), canvas = find('canvas');
  const sums = running(side), looks = looksOf(side);
  const state = { scope: new Uint32Array(0), at: 0, look: -1, playing: 0, wanted: false, counting: 0 };

  // ---- where the reader is ----

  const now = () => state.scope[state.at];

  function go(at) {
    state.at = Math.max(0, Math.min(state.scope.length - 1, at));
    if (!state.wanted) requestAnimationFrame(show);
    state.wanted = true;
  }

  function choose(value, step) {
    const [block, warp] = value.split(' ').map((word) => (word === 'all' ? null : Number(word)));
    state.scope = inScope(side, block, warp);
    scopes.value = value;
    slider.max = state.scope.length - 1;
    const at = step === undefined ? 0 : state.scope.indexOf(step);
    const marks = side.findings.flatMap((each) => [each.step, each.other_step]).map((i) => state.scope.indexOf(i));
    drawTimeline(canvas, side, state.scope, marks.filter((mark) => mark >= 0));
    go(at);
  }

  // Goes to a step wherever it is: within the scope, or else in that of its block.
  function jump(step) {
    if (step < 0) return;
    const at = state.scope.indexOf(step);
    if (at >= 0) go(at);
    else choose(`${side.columns.block[step]} all`, step);
  }

  function seek(by, wanted) {
    for (let at = state.at + by; at >= 0 && at < state.scope.length; at += by) if (wanted(state.scope[at])) return go(at);
  }

  const isAccess = (i) => side.columns.array[i] >= 0 && !isOwn(side, i);
  const nextOnLine = (line) => {
    const before = state.at;
    seek(1, (i) => side.columns.line[i] === line);
    if (state.at === before) jump(side.columns.line.indexOf(line));
  };

  function lookAt(number) {
    if (!looks.length) return;
    state.look = (number + looks.length) % looks.length;
    jump(looks[state.look].step());
  }

  function otherSide() {
    const found = side.findings.find((each) => each.step === now() || each.other_step === now());
    const first = found || side.findings.find((each) => each.other_step >= 0);
    if (first) jump(first.step === now() ? first.other_step : first.step);
  }

  function play(on = !state.playing) {
    clearInterval(state.playing);
    state.playing = on ? setInterval(() => (state.at < state.scope.length - 1 ? go(state.at + 1) : play(false)), 1000 / (still ? 2 : STEPS_A_SECOND)) : 0;
    find('[data-go=play]').setAttribute('aria-pressed', String(on));
    find('.words').setAttribute('aria-live', on ? 'off' : 'polite');
  }

  // ---- what is shown ----

  function show() {
    state.wanted = false;
    const i = now(), step = stepAt(side, i), total = state.scope.length;
    slider.value = state.at;
    slider.setAttribute('aria-valuetext', `step ${state.at + 1} of ${total}`);
    find('.count').textContent = `${(state.at + 1).toLocaleString('en')} of ${total.toLocaleString('en')}`;
    find('.cursor').style.left = `${(100 * (state.at + 0.5)) / total}%`;
    find('.words').textContent = words(side, step);
    find('.panels').innerHTML = panels(i, step);
    showFindings(i);
    showLine(step.line);
    showSums(i, step);
    root.querySelectorAll('.looks button').forEach((button, number) =>
      button.setAttribute('aria-pressed', String(looks[number].steps.includes(i))));
  }

  function panels(i, step) {
    const drawn = PICTURES.filter((picture) => picture.when(step)).map(({ title, draw }) =>
      `<h3>${title}</h3><div class="panel" tabindex="0" role="group" aria-label="${title}">${draw(step)}</div>`);
    const levels = divergence(side, i);
    if (levels.length > 1) drawn.push(`<h3>Who waits</h3>${drawTree(levels)}`);
    return drawn.join('');
  }

  function showFindings(i) {
    const here = side.findings.filter((each) => each.step === i || each.other_step === i);
    find('.found').replaceChildren(...here.map((each) => {
      const said = document.createElement('p');
      said.textContent = `◆ ${each.message}. `;
      if (each.other_step < 0) return said;
      const first = each.step === i, go = document.createElement('button');
      const key = document.createElement('span');
      key.className = 'keys', key.textContent = ` (o)`;
      said.append(`This is ${first ? 'one side' : 'the other side'} of it: `);
      go.type = 'button', go.textContent = first ? 'the other side' : 'the first side';
      go.addEventListener('click', otherSide);
      said.append(go, key);
      return said;
    }));
  }

  function showLine(line) {
    const source = find('.source'), lines = source.children;
    source.querySelector('.here')?.classList.remove('here');
    const here = lines[line - 1];
    if (!here) return;
    here.classList.add('here');
    const top = here.offsetTop, bottom = top + here.offsetHeight, seen = source.scrollTop;
    if (top < seen || bottom > seen + source.clientHeight) source.scrollTop = top - source.clientHeight / 2;
  }

  function showSums(i, step) {
    const cells = find('.sums').querySelectorAll('td'), { unit } = costOf(step);
    find('.sums').hidden = !unit;
    find('.whole').textContent = side.lines[step.line] || '';
    if (!unit) return;
    cancelIdle(state.counting);
    const count = () => {
      if (!sums.run(Math.min(i + 1, sums.done() + COUNT_AT_ONCE)) && sums.done() <= i) {
        cells[0].textContent = 'counting …';
        state.counting = whenIdle(count);
        return;
      }
      const { requests, cost, best } = sums.at(i);
      [many(requests, 'access').replace('accesss', 'accesses'), many(cost, unit.slice(0, -1)), best.toLocaleString('en'), (cost / requests).toFixed(1)]
        .forEach((text, at) => (cells[at].textContent = text));
    };
    count();
  }

  // ---- the parts that stay ----

  fillSource(find('.source'), side, nextOnLine);
  fillScopes(scopes, side);
  find('h2').textContent = side.name;
  find('.facts').textContent = side.facts;
  find('.source').setAttribute('aria-label', `source of ${side.name}`);
  looks.forEach((look, number) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = look.says;
    button.className = look.kind;
    button.addEventListener('click', () => (look.kind === 'finding' && look.steps[0] === now() ? otherSide() : lookAt(number)));
    find('.looks').append(button);
  });
  const goes = { first: () => go(0), back: () => go(state.at - 1), play, on: () => go(state.at + 1), last: () => go(state.scope.length - 1),
    before: () => seek(-1, isAccess), after: () => seek(1, isAccess) };
  root.querySelectorAll('[data-go]').forEach((button) => button.addEventListener('click', () => goes[button.dataset.go]()));
  slider.addEventListener('input', () => go(Number(slider.value)));
  scopes.addEventListener('change', () => choose(scopes.value, now()));
  canvas.addEventListener('click', (event) => go(Math.floor((event.offsetX / canvas.clientWidth) * state.scope.length)));

  side.findings.filter((each) => each.elsewhere).forEach((each) => {
    const said = document.createElement('p');
    said.textContent = `◆ ${each.title}: ${each.step < 0 ? 'it' : 'its other side'} is in ${each.elsewhere}, not on this page. ${each.message}.`;
    find('.absent').append(said);
  });

  const start = looks.length ? looks[0].step() : 0;
  choose(`${side.columns.block[start]} all`, start);
  if (looks.length) state.look = 0;
  const redraw = () => choose(scopes.value, now());
  const keys = {
    ArrowLeft: goes.back, ArrowRight: goes.on, Home: goes.first, End: goes.last, ' ': () => play(),
    ArrowDown: goes.after, ArrowUp: goes.before,
    n: () => lookAt(state.look + 1), o: otherSide,
  };
  return { keys, redraw };
}

const whenIdle = (what) => (window.requestIdleCallback ? requestIdleCallback(what) : setTimeout(what, 8));
const cancelIdle = (which) => (window.cancelIdleCallback ? cancelIdleCallback(which) : clearTimeout(which));

// What a reader should see first: findings, then the lines that cost the most beyond what would do.
function looksOf(side) {
  const found = side.findings.filter((each) => each.step >= 0).map((each) => ({
    kind: 'finding', says: each.title, steps: [each.step, each.other_step], step: () => each.step,
  }));
  const worst = side.worst.map(({ line, says, space, kinds }) => {
    const step = worstAt(side, line, space, kinds);
    return { kind: 'worst', says, steps: [step], step: () => step };
  });
  return [...found, ...worst.filter(({ steps }) => steps[0] >= 0)];
}

// The step of a line whose cost is furthest from the least, among its first ones.
function worstAt(side, line, space, kinds) {
  let found = -1, most = -1, seen = 0;
  for (let i = 0; i < side.steps && seen < WORST_LOOKS_AT; ++i) {
    if (side.columns.line[i] !== line || side.columns.array[i] < 0) continue;
    const step = stepAt(side, i), { cost, best } = costOf(step);
    if ((step.space === 'shared') !== (space === 'shared') || !kinds.includes(step.kind)) continue;
    ++seen;
    if (cost - best > most) [found, most] = [i, cost - best];
  }
  return found;
}

function fillSource(root, side, nextOnLine) {
  const ran = new Set(side.columns.line), bad = new Set(side.findings.flatMap((each) => [each.line, each.other_line]));
  const lines = side.source.replace(/\n$/, '').split('\n').map((text, at) => {
    const row = document.createElement('div'), number = document.createElement('i'), code = document.createElement('span');
    number.textContent = at + 1;
    code.textContent = text;
    if (/^\s*\/\//.test(text)) code.className = 'comment';
    if (ran.has(at + 1)) row.classList.add('ran'), row.addEventListener('click', () => nextOnLine(at + 1));
    if (bad.has(at + 1)) row.classList.add('bad');
    row.append(number, code);
    return row;
  });
  root.replaceChildren(...lines);
}

function fillScopes(scopes, side) {
  const rows = timelineRows(side, inScope(side, null, null)), blocks = [...new Set(rows.map((row) => row.block))];
  const add = (value, text) => scopes.add(new Option(text, value));
  if (blocks.length > 1) add('all all', `all ${blocks.length} recorded blocks`);
  for (const block of blocks) {
    add(`${block} all`, side.blocks[block]);
    for (const row of rows) if (row.block === block) add(`${block} ${row.warp}`, `${side.blocks[block]}, warp ${row.warp}`);
  }
}

// ---- the page ----

async function main() {
  const header = await decode(document.getElementById('data').textContent.trim());
  const page = document.getElementById('sides'), template = document.getElementById('side');
  page.replaceChildren();
  page.classList.toggle('two', header.sides.length > 1);
  const roots = header.sides.map(() => page.appendChild(template.content.cloneNode(true).firstElementChild));
  const sides = header.sides.map((side, number) => makeSide(side, roots[number]));
  let active = 0;
  const use = (number) => {
    active = number;
    roots.forEach((root, at) => root.classList.toggle('active', sides.length > 1 && at === number));
  };
  roots.forEach((root, number) => ['pointerdown', 'focusin'].forEach((event) => root.addEventListener(event, () => use(number))));
  document.addEventListener('keydown', (event) => {
    const on = event.target, own = sides[active].keys[event.key];
    if (!own || event.ctrlKey || event.metaKey || event.altKey || on.tagName === 'SELECT') return;
    if (event.key === ' ' && on.tagName === 'BUTTON') return;
    event.preventDefault();
    own();
  });
  const redraw = () => sides.forEach((side) => side.redraw());
  window.addEventListener('resize', redraw);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  use(0);
}

main();
