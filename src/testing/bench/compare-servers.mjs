// Measures requests per second, latency and processor time of every server, for each kind of request.
import { loadOf, medianOf, medianRatio } from './load.mjs'
import { memoryOf, start, stop } from './server.mjs'
import { subjects, WORKS } from './subjects.mjs'

const FIRST_PORT = 4600

/** Requests that change nothing come first, so that memory is measured without created records. */
const PHASES = { reading: ['list', 'read', 'unauthorized', 'limited'], creating: ['create'] }

/** Sends every kind of request to every server in `rounds` rounds. Returns medians, also of the ratios to the first server. */
export async function compareServers({ rounds, seconds }, report) {
  const all = (await subjects()).map((subject) => ({
    ...subject,
    figures: {},
    faults: {},
    memory: {},
  }))
  try {
    for (const [at, subject] of all.entries()) {
      report(`starting ${subject.name}`)
      await begin(subject, FIRST_PORT + at)
    }
    for (const [phase, works] of Object.entries(PHASES)) {
      for (let round = 1; round <= rounds; round += 1) {
        for (const work of works) {
          for (const subject of all) {
            report(`${phase}, round ${round} of ${rounds}: ${work}, ${subject.name}`)
            await measure(subject, work, seconds)
          }
        }
      }
      for (const { memory, server } of all) memory[phase] = server && memoryOf(server.child)
    }
    return all.map((subject) => summarize(subject, all[0]))
  } finally {
    await Promise.all(all.map(({ server }) => server && stop(server.child)))
  }
}

/** A server that does not start is marked in the table. The others run. */
async function begin(subject, port) {
  try {
    await subject.prepare?.()
    subject.server = await start(subject, port, subject.requests.list)
  } catch (error) {
    subject.faults.start = error.message
  }
}

async function measure({ requests, server, figures, faults }, work, seconds) {
  const request = requests[work]
  if (!(server && request) || faults[work]) return
  try {
    const status = WORKS[work]
    // The first second of each server and kind is a warm-up.
    if (!figures[work]) await loadOf(server, request, { status, seconds: 1 })
    const figure = await loadOf(server, request, { status, seconds })
    figures[work] = [...(figures[work] ?? []), figure]
  } catch (error) {
    faults[work] = error.message
  }
}

function summarize({ name, figures, faults, memory }, base) {
  const works = Object.entries(figures).map(([work, rounds]) => {
    const all = (figure) => rounds.map((round) => round[figure])
    const ratio = (figure) =>
      medianRatio(
        all(figure),
        (base.figures[work] ?? []).map((round) => round[figure]),
      )
    return [work, { ...each((figure) => medianOf(all(figure))), ratio: each(ratio), rounds }]
  })
  return { name, works: Object.fromEntries(works), faults, memory }
}

function each(of) {
  const figures = ['rate', 'median', 'p99', 'processor']
  return Object.fromEntries(figures.map((figure) => [figure, of(figure)]))
}
