// Compares servers that do the same works in turn, round by round.
import { loadOf, medianOf, medianRatio } from './load.mjs'
import { start, stop } from './server.mjs'

/**
 * Sends the requests of each work to every server. A server has a name, a command, and its `works`: the request by the name of the work,
 * with the `status` that its response must have. Works that create records come last. Returns the medians, and their ratios to the
 * first server, or to the one that a server names as its `base`.
 */
export async function compareWorks(servers, firstPort, { rounds, seconds }, report) {
  const works = Object.keys(servers[0].works)
  const all = []
  try {
    for (const given of servers) {
      report(`starting ${given.name}`)
      const server = await start(given, firstPort + all.length, given.works[works[0]])
      all.push({ ...given, server, figures: {} })
    }
    for (const work of works) {
      for (let round = 0; round <= rounds; round += 1) {
        for (const { name, server, figures, works: requests } of all) {
          report(`round ${round} of ${rounds}: ${work}, ${name}`)
          const { status, ...request } = requests[work]
          const figure = await loadOf(server, request, { status, seconds })
          // The first round is a warm-up.
          if (round > 0) figures[work] = [...(figures[work] ?? []), figure]
        }
      }
    }
    return all.map(({ name, figures, base }) => {
      const compared = all.find((one) => one.name === base) ?? all[0]
      return { name, ...(base && { base }), works: summarize(figures, compared.figures) }
    })
  } finally {
    await Promise.all(all.map(({ server }) => stop(server.child)))
  }
}

function summarize(figures, base) {
  const works = Object.entries(figures).map(([work, rounds]) => {
    const all = (figure, of = rounds) => of.map((round) => round[figure])
    const each = (of) => ({ rate: of('rate'), processor: of('processor') })
    const ratio = (figure) => medianRatio(all(figure), all(figure, base[work]))
    return [work, { ...each((figure) => medianOf(all(figure))), ratio: each(ratio) }]
  })
  return Object.fromEntries(works)
}
