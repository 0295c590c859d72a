// The figures of the bench of stores as Markdown.

/** The part of its processor that Redis may use when a store is planned. */
const SENSIBLE = 0.6

/** All figures. */
export function toMarkdown({ date, machine, node, redis, settings, ...figures }) {
  const { works, traffic, instances, memory } = figures
  return [
    `Measured on ${date}, Node ${node.slice(1)}, Redis ${redis} with \`${settings.join('` and `')}\`, ${machine}.`,
    ...works.map((one) => worksTable(one, traffic)),
    instancesTable(instances),
    memoryTable(memory),
  ].join('\n\n')
}

function worksTable({ records, works }, traffic) {
  const rows = Object.entries(works).map(([work, { rate, p99, processor, store }]) => {
    const { trips, sent, received } = traffic[work]
    const most = processor / store
    return [
      work,
      grouped(rate),
      `${p99.toFixed(1)} ms`,
      `${grouped(processor)} µs`,
      `${grouped(store)} µs`,
      trips,
      `${grouped(sent)} / ${grouped(received)}`,
      `${(most * SENSIBLE).toFixed(1)} (${most.toFixed(1)})`,
    ]
  })
  const head = [
    `one server, ${grouped(records)} records`,
    'a second',
    'p99',
    'processor, server',
    'processor, Redis',
    'round trips',
    'bytes to / from Redis',
    `servers for one Redis at ${SENSIBLE * 100} % (100 %)`,
  ]
  return table(head, rows)
}

function instancesTable(instances) {
  const rows = Object.entries(instances).map(([work, { one, two, ratio }]) => [
    work,
    `${grouped(one.processor)} µs, ${grouped(two.processor)} µs (${ratio.processor.toFixed(2)} ×)`,
    `${grouped(one.store)} µs, ${grouped(two.store)} µs (${ratio.store.toFixed(2)} ×)`,
    `${(2 / ratio.processor).toFixed(2)} ×`,
    `${ratio.rate.toFixed(2)} ×`,
  ])
  const head = [
    'one server, and two',
    'processor, server',
    'processor, Redis',
    'work of two servers with a processor each',
    'requests a second, here',
  ]
  return table(head, rows)
}

function memoryTable({ records, record, world, exchanges }) {
  const rows = [
    [`record, of ${grouped(records)}`, grouped(record)],
    ['world with one exchange, before its collections are used', grouped(world)],
    ...Object.entries(exchanges).map(([work, bytes]) => [
      `exchange in the journal: ${work}`,
      grouped(bytes),
    ]),
  ]
  return table(['memory of Redis', 'bytes'], rows)
}

function grouped(number) {
  return Math.round(number).toLocaleString('en')
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
