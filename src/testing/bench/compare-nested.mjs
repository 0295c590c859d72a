// Compares nested collections, whose lists are in envelopes, with a hand-written implementation of the same document.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSandbox } from '../../../dist/index.js'
import { loadContract } from '../../../dist/load.js'
import { loadOf, medianOf, medianRatio } from './load.mjs'
import { FOLDER } from './peers.mjs'
import { start, stop } from './server.mjs'
import { sandboxCommand } from './subjects.mjs'

const FIRST_PORT = 4900
const SIZES = [100, 10_000]
const DOCUMENT = fileURLToPath(new URL('issues.yaml', import.meta.url))
const COLLECTION = 'orgs/acme/repos/api/issues'
const PATH = `/v1/${COLLECTION}`

/** The columns of the table. The requests of one column take turns. Those that create records come last. */
const WORKS = {
  list: { status: 200, paths: [PATH] },
  pages: { status: 200, paths: [1, 2, 3, 4, 5].map((page) => `${PATH}?page=${page}`) },
  'filtered list': { status: 200, paths: [`${PATH}?state=open`] },
  read: { status: 200, paths: [1, 7, 20, 55, 99].map((number) => `${PATH}/${number}`) },
  create: {
    status: 201,
    paths: [PATH],
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'The door does not close', labels: ['door'] }),
  },
}

const NESTED_WORKS = Object.keys(WORKS)

/** Sends every kind of request to both servers with few and with many records. Returns the ratios to the first server. */
export async function compareNested({ rounds, seconds }, report) {
  await writeFile(join(FOLDER, 'servers', 'issues.json'), JSON.stringify(await firstIssues()))
  const all = []
  try {
    for (const subject of subjects()) {
      report(`starting ${subject.name}`)
      const server = await start(subject, FIRST_PORT + all.length, { path: PATH })
      all.push({ name: subject.name, server, figures: {} })
    }
    for (const work of NESTED_WORKS) {
      for (let round = 0; round <= rounds; round += 1) {
        for (const { name, server, figures } of all) {
          report(`round ${round} of ${rounds}: ${work}, ${name}`)
          const { status, paths, ...request } = WORKS[work]
          const [path] = paths
          const figure = await loadOf(server, { ...request, path, paths }, { status, seconds })
          // The first round is a warm-up.
          if (round > 0) figures[work] = [...(figures[work] ?? []), figure]
        }
      }
    }
    return all.map(({ name, figures }) => ({ name, works: summarize(figures, all[0].figures) }))
  } finally {
    await Promise.all(all.map(({ server }) => stop(server.child)))
  }
}

function subjects() {
  return SIZES.flatMap((size) => {
    const records = `${size.toLocaleString('en')} records`
    return [
      {
        name: `Express by hand, ${records}`,
        command: (port) => [join(FOLDER, 'servers', 'issues.mjs'), port, size],
      },
      {
        name: `pet-sandbox, ${records}`,
        command: (port) => sandboxCommand(port, DOCUMENT, '--records', `${COLLECTION}=${size}`),
      },
    ]
  })
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

/** The issues of both servers, so that their responses have the same size. */
async function firstIssues() {
  const contract = await loadContract(DOCUMENT)
  const sandbox = createSandbox({ contract, records: { [COLLECTION]: SIZES[0] } })
  return await sandbox.collection(`/${COLLECTION}`).list()
}
