// Measures the time from the command to the first response, and the resident memory at that time.
import { medianOf, medianRatio } from './load.mjs'
import { memoryOf, start, stop } from './server.mjs'
import { subjects } from './subjects.mjs'

const FIRST_PORT = 4700

/**
 * Starts every server in `rounds` rounds after a warm-up. Returns the medians in milliseconds and megabytes, and the medians of
 * the ratios to the first server.
 */
export async function compareStarts({ rounds }, report) {
  const all = (await subjects()).map((subject) => ({ ...subject, times: [], weights: [] }))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, subject] of all.entries()) {
      report(`start ${round} of ${rounds}: ${subject.name}`)
      await startOnce(subject, FIRST_PORT + at, round === 0)
    }
  }
  return all.map(({ name, times, weights }) => ({
    name,
    milliseconds: medianOf(times),
    memory: medianOf(weights),
    ratio: {
      milliseconds: medianRatio(times, all[0].times),
      memory: medianRatio(weights, all[0].weights),
    },
  }))
}

/** A server that does not start has no figures. */
async function startOnce(subject, port, isWarmUp) {
  await subject.prepare?.()
  const server = await start(subject, port, subject.requests.list).catch(() => undefined)
  if (!server) return
  if (!isWarmUp) subject.times.push(server.started)
  subject.weights.push(memoryOf(server.child))
  await stop(server.child)
}
