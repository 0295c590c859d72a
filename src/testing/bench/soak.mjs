// `npm run soak`: ten minutes at full load, with worlds that are created and dropped. Fails when memory grows, when responses
// are wrong, when the server prints errors, or when some requests take much longer than most.
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { memoryOf, start, stop } from './server.mjs'
import { sandboxCommand } from './subjects.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    port: { type: 'string', default: '4900' },
  },
})
const seconds = Number(values.seconds)

/** More worlds than the server keeps, so that each is dropped and created again and again. */
const WORLDS = 300
const KEPT = 100
/** The most megabytes by which memory may grow per hour, and by which it may end above its size after the warm-up. */
const MAX_SLOPE = 60
const MAX_GROWTH = 40
const MAX_SPREAD = 5

const headers = { Authorization: 'Bearer sk_sandbox_enterprise' }
const json = { ...headers, 'Content-Type': 'application/json' }
const body = JSON.stringify({ name: 'Biscuit', categoryId: 2 })
const kinds = [
  { path: '/v1/pets', headers },
  { path: '/v1/pets/7', headers },
  { path: '/v1/pets?status=sold&limit=50', headers },
  { path: '/v1/pets', method: 'POST', headers: json, body },
  { path: '/v1/pets', method: 'POST', headers: json, body: '{"name":' },
  { path: '/v1/pets/none', headers },
  { path: '/v1/pets' },
  { path: '/v1/pets', headers: { Authorization: 'Bearer sk_sandbox_free' } },
]
const expected = new Set(['200', '201', '400', '401', '404', '429'])

const server = await start(
  { command: (port) => sandboxCommand(port, '--worlds', KEPT) },
  values.port,
  { path: '/v1/pets', headers },
)
const complaints = []
server.child.stderr.on('data', (chunk) => complaints.push(String(chunk)))

const weights = []
const weigh = setInterval(() => weights.push(memoryOf(server.child)), 1000)
const { waits, total, statuses, failed } = await pound()
clearInterval(weigh)
const alive = server.child.exitCode === null
await stop(server.child)

// The first third is the warm-up: it fills the worlds, their journals and the heap.
const warm = weights.slice(Math.floor(weights.length / 3))
const slope = slopeOf(warm) * 3600
const growth = mean(warm.slice(-10)) - mean(warm.slice(0, 10))
const [median, p99] = [0.5, 0.99].map((part) => waits[Math.floor(waits.length * part)])
const spread = p99 / median
const faults = [
  !alive && 'The server ended.',
  complaints.length > 0 && `The server said: ${complaints.join('').slice(0, 500)}`,
  failed > 0 && `${failed} requests got no answer.`,
  ...Object.keys(statuses)
    .filter((status) => !expected.has(status))
    .map((status) => `${statuses[status].count} answers were ${status}.`),
  growth > MAX_GROWTH && slope > MAX_SLOPE && 'Memory grows.',
  seconds >= 60 && spread > MAX_SPREAD && 'A few requests wait far longer than most.',
].filter(Boolean)

console.log(`${total.toLocaleString('en')} requests in ${seconds} s, ${WORLDS} worlds of which ${KEPT} are kept
memory: ${mean(warm.slice(0, 10)).toFixed(0)} MB when warm, ${mean(warm.slice(-10)).toFixed(0)} MB at the end, ${slope.toFixed(0)} MB an hour
waits: median ${median.toFixed(2)} ms, 99th percentile ${p99.toFixed(2)} ms, ${spread.toFixed(1)} times as long`)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

/** Sends the kinds of requests in turn. Each connection goes through the worlds at its own pace. */
async function pound() {
  const waits = []
  let count = 0
  const setupRequest = (request) => {
    count += 1
    const kind = kinds[count % kinds.length]
    // Records that are created in the default world stay. Those of a named world are dropped with it.
    const isOwn = kind.method !== 'POST' && count % 3 === 0
    const world = isOwn ? '' : `/worlds/w${Math.floor(count / 40) % WORLDS}`
    return { ...request, method: 'GET', body: undefined, ...kind, path: world + kind.path }
  }
  const result = await new Promise((resolve, reject) => {
    const run = autocannon(
      { url: server.url, connections: 10, duration: seconds, requests: [{ setupRequest }] },
      (error, told) => (error ? reject(error) : resolve(told)),
    )
    // The latency of one request in ten is enough.
    run.on('response', (_client, _status, _bytes, wait) => {
      if (count % 10 === 0) waits.push(wait)
    })
  })
  waits.sort((one, two) => one - two)

  return {
    waits,
    total: result.requests.total,
    statuses: result.statusCodeStats,
    failed: result.errors + result.timeouts,
  }
}

/** The growth from one value to the next, by least squares. */
function slopeOf(values) {
  const middle = (values.length - 1) / 2
  const average = mean(values)
  const [over, under] = values.reduce(
    ([sum, squares], value, at) => [
      sum + (at - middle) * (value - average),
      squares + (at - middle) ** 2,
    ],
    [0, 0],
  )
  return over / under
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
