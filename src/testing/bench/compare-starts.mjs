// From the command to the first answer, and resident memory then.
import { medianOf, medianRatio } from './load.mjs'
import { memoryOf, start, stop } from './server.mjs'
import { subjects } from './subjects.mjs'

const FIRST_PORT = 4700

/**
 * Starts every server `rounds` times and once before, in turn. Gives the medians in milliseconds and megabytes, and those of
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

/** A peer that does not start has no figures. */
async function startOnce(subject, port, isWarmUp) {
  await subject.prepare?.()
  const server = await start(subject, port, subject.requests.list).catch(() => undefined)
  if (!server) return
  if (!isWarmUp) subject.times.push(server.started)
  subject.weights.push(memoryOf(server.child))
  await stop(server.child)
}
