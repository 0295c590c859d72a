// The result as Markdown.

const KINDS = {
  forced: 'errors asked for with `Prefer: code=`',
  body: 'bodies that break their schema',
  parameter: 'required parameters left out',
  credentials: 'credentials left out',
  route: 'unknown paths and methods',
}

/** The table of all servers. */
export function toMarkdown({ date, machine, node, figures, results }) {
  const rows = [
    ['documents that start', ({ documents }) => `${documents.ok} of ${documents.of}`],
    ['valid requests answered as documented', ({ answers }) => share(answers)],
    ['the same with all optional parameters', ({ optional }) => share(optional)],
    ['refusals as documented', ({ refusals }) => share(refusals)],
    ...Object.entries(KINDS).map(([kind, name]) => [
      `– ${name}`,
      ({ kinds }) => (kinds[kind] ? share(kinds[kind]) : '–'),
    ]),
    ['start: median, worst', ({ start }) => `${seconds(start.median)}, ${seconds(start.worst)}`],
    [
      'peak memory: median, worst',
      ({ memory }) => `${megabytes(memory.median)}, ${megabytes(memory.worst)}`,
    ],
    [
      'time of an answer: median, 99th percentile',
      ({ answer }) => `${milliseconds(answer.median)}, ${milliseconds(answer.p99)}`,
    ],
  ]
  const requests = results.reduce((sum, result) => sum + result.requests, 0)
  const head = `Measured on ${date}, Node ${node.slice(1)}, ${machine}: ${results.length} documents, ${requests.toLocaleString('en')} valid requests.`
  const lines = [
    ['', ...figures.map(({ name }) => name)],
    ['---', ...figures.map(() => '---')],
    ...rows.map(([name, cell]) => [name, ...figures.map(cell)]),
  ]
  return [head, lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')].join('\n\n')
}

/** One line about one server and one document, for the terminal. */
export function toLine(measured) {
  if (!measured.started) return `does not start: ${measured.reason.slice(0, 120)}`
  const { answers, refusals, milliseconds: start, memory } = measured
  const right = (list) => `${list.filter(({ fault }) => !fault).length}/${list.length}`
  return `start ${seconds(start)}, ${megabytes(memory)}, answers ${right(answers)}, refusals ${right(refusals)}`
}

/** `98.1 % of 2,226` */
export function share({ ok, of }) {
  return of === 0 ? '–' : `${((100 * ok) / of).toFixed(1)} % of ${of.toLocaleString('en')}`
}

function seconds(time) {
  return time === undefined ? '–' : `${(time / 1000).toFixed(1)} s`
}

function milliseconds(time) {
  return time === undefined ? '–' : `${time.toFixed(time < 10 ? 1 : 0)} ms`
}

function megabytes(memory) {
  return memory === undefined ? '–' : `${memory.toFixed(0)} MB`
}
