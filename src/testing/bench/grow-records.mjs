// Measures the start, the memory and the speed of the sandbox with more and more records.
import { loadOf, medianRatio } from './load.mjs'
import { memoryOf, start, stop } from './server.mjs'
import { sandboxCommand } from './subjects.mjs'

const FIRST_PORT = 4800
const SIZES = [100, 10_000, 100_000, 1_000_000]
const headers = { Authorization: 'Bearer sk_sandbox_enterprise' }

/** Starts a server for each number of records, then lists and reads in alternating rounds. Returns the ratios to the smallest. */
export async function growRecords({ rounds, seconds }, report) {
  const sizes = []
  try {
    for (const [at, records] of SIZES.entries()) {
      report(`${records} records`)
      const command = (port) => sandboxCommand(port, '--records', records)
      const server = await start({ command }, FIRST_PORT + at, { path: '/v1/pets', headers })
      sizes.push({ records, server, lists: [], filters: [], reads: [] })
    }
    for (let round = 1; round <= rounds; round += 1) {
      for (const { records, server, ...figures } of sizes) {
        report(`round ${round} of ${rounds}: ${records} records`)
        const rateOf = async (path) =>
          (await loadOf(server, { path, headers }, { status: 200, seconds })).rate
        figures.lists.push(await rateOf('/v1/pets'))
        figures.filters.push(await rateOf('/v1/pets?status=sold'))
        figures.reads.push(await rateOf(`/v1/pets/${records - 1}`))
      }
    }
    return sizes.map(({ records, server, lists, filters, reads }) => ({
      records,
      started: server.started,
      memory: memoryOf(server.child),
      list: medianRatio(lists, sizes[0].lists),
      filter: medianRatio(filters, sizes[0].filters),
      read: medianRatio(reads, sizes[0].reads),
    }))
  } finally {
    await Promise.all(sizes.map(({ server }) => stop(server.child)))
  }
}
