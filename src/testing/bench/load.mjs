// Load on one server, made by autocannon.
import autocannon from 'autocannon'
import { processorTimeOf } from './server.mjs'

/**
 * Sends one request over and over, with each of its `paths` in turn, or as its function `setup` changes it, for `seconds` or
 * `amount` times. Gives the number of answers, requests a second, the median and the 99th percentile of the waits in milliseconds, and
 * the server's processor time a request in microseconds.
 */
export async function loadOf(
  { url, child },
  request,
  { status, seconds, amount, connections = 10 },
) {
  const waits = []
  const before = processorTimeOf(child)
  const start = performance.now()
  let end = start
  const result = await new Promise((resolve, reject) => {
    const run = autocannon(
      {
        url: url + request.path,
        method: request.method ?? 'GET',
        headers: request.headers ?? {},
        ...(request.body && { body: request.body }),
        ...(request.paths && { requests: request.paths.map((path) => ({ path })) }),
        ...(request.setup && { requests: [{ setupRequest: request.setup }] }),
        ...(amount === undefined ? { duration: seconds } : { amount }),
        connections,
      },
      (error, told) => (error ? reject(error) : resolve(told)),
    )
    run.on('response', (_client, _status, _bytes, wait) => {
      waits.push(wait)
      end = performance.now()
    })
  })
  const after = processorTimeOf(child)
  const answers = result.statusCodeStats?.[status]?.count ?? 0
  if (answers !== waits.length) {
    throw new Error(`not all answers were ${status}: ${JSON.stringify(result.statusCodeStats)}`)
  }
  waits.sort((one, two) => one - two)

  return {
    answers,
    // autocannon's own duration is a number of whole seconds, also when an amount of requests is answered sooner.
    rate: answers / ((end - start) / 1000),
    median: waits[Math.floor(waits.length * 0.5)],
    p99: waits[Math.floor(waits.length * 0.99)],
    ...(after !== undefined && { processor: (after - before) / answers }),
  }
}

/** The median of numbers; `undefined` when there are none. */
export function medianOf(values) {
  const sorted = values.filter((value) => value !== undefined).sort((one, two) => one - two)
  return sorted[Math.floor(sorted.length / 2)]
}

/**
 * The middle one of the ratios that two lists of figures have, round by round: what disturbs a round disturbs both of them.
 * `undefined` of none.
 */
export function medianRatio(ones, others) {
  return medianOf(
    ones.map((one, at) => {
      const other = others[at]
      return one === undefined || other === undefined ? undefined : one / other
    }),
  )
}
