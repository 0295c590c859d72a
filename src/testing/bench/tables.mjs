// The result as Markdown. Ratios come first, because they hold on other machines, too.
import { WORKS } from './subjects.mjs'

/** All measurements. */
export function toMarkdown({ date, machine, node, documents, ...parts }) {
  const { servers, inProcess, starts, records, nested } = parts
  return [
    `Measured on ${date}, Node ${node.slice(1)}, ${machine}.`,
    servers && serversTable(servers),
    starts && startsTable(starts),
    inProcess && inProcessTable(inProcess),
    records && recordsTable(records),
    nested && nestedTable(nested),
    documents && documentsTable(documents),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function serversTable([base, ...others]) {
  const works = Object.keys(WORKS)
  const baseline = works.map((work) => Math.round(base.works[work].rate).toLocaleString('en'))
  const rows = others.map(({ name, works: figures, faults, memory }) => [
    name,
    ...works.map((work) => (faults[work] ? '!' : times(figures[work]?.ratio.rate))),
    times(figures.list?.ratio.processor),
    times(figures.list?.ratio.p99),
    times(memory.reading && memory.reading / base.memory.reading),
    times(memory.creating && memory.creating / base.memory.creating),
  ])
  const faults = others.flatMap((other) =>
    Object.entries(other.faults).map(([work, fault]) => `! ${other.name}, ${work}: ${fault}`),
  )
  const lines = table(
    [
      'requests a second',
      ...works,
      'processor time, list',
      'p99, list',
      'memory after reading',
      'memory after creating',
    ],
    [
      [
        `${base.name}, absolute`,
        ...baseline,
        micro(base),
        milli(base),
        megabytes(base.memory.reading),
        megabytes(base.memory.creating),
      ],
      ...rows,
    ],
  )
  return [lines, ...faults].join('\n\n')
}

function micro({ works: { list } }) {
  return list.processor === undefined ? '–' : `${list.processor.toFixed(0)} µs`
}

function milli({ works: { list } }) {
  return `${list.p99.toFixed(1)} ms`
}

function startsTable([base, ...others]) {
  return table(
    ['from command to first answer', 'time', 'memory'],
    [
      [`${base.name}, absolute`, `${base.milliseconds.toFixed(0)} ms`, megabytes(base.memory)],
      ...others.map(({ name, ratio }) => [name, times(ratio.milliseconds), times(ratio.memory)]),
    ],
  )
}

function inProcessTable(rates) {
  const rows = Object.entries(rates).map(([name, rounds]) => {
    const middle = [...rounds].sort((one, two) => one - two)[Math.floor(rounds.length / 2)]
    return [name, Math.round(middle).toLocaleString('en')]
  })
  return table(['in process, list of 20', 'a second'], rows)
}

function recordsTable(sizes) {
  return table(
    ['records', 'first answer', 'memory', 'list', 'filtered list', 'read'],
    sizes.map(({ records, started, memory, list, filter, read }) => [
      records.toLocaleString('en'),
      `${(started / 1000).toFixed(1)} s`,
      megabytes(memory),
      times(list),
      times(filter),
      times(read),
    ]),
  )
}

function nestedTable([base, ...others]) {
  const works = Object.keys(base.works)
  const baseline = works.map((work) => Math.round(base.works[work].rate).toLocaleString('en'))
  const rows = others.map(({ name, works: figures }) => [
    name,
    ...works.map((work) => times(figures[work]?.ratio.rate)),
    times(figures.list?.ratio.processor),
  ])
  return table(
    ['nested collection, requests a second', ...works, 'processor time, list'],
    [[`${base.name}, absolute`, ...baseline, micro(base)], ...rows],
  )
}

function documentsTable([base, ...others]) {
  const works = Object.keys(base.works)
  const absolute = ({ processor }) => (processor === undefined ? '–' : `${processor.toFixed(0)} µs`)
  const rows = others.map(({ name, base: compared = base.name, works: figures }) => [
    name,
    compared,
    ...works.map((work) => times(figures[work]?.ratio.processor)),
  ])
  return table(
    ['processor time of a request', 'compared with', ...works],
    [[`${base.name}, absolute`, '', ...works.map((work) => absolute(base.works[work]))], ...rows],
  )
}

function megabytes(memory) {
  return memory === undefined ? '–' : `${memory.toFixed(0)} MB`
}

function times(ratio) {
  return ratio === undefined ? '–' : `${ratio.toFixed(2)} ×`
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
