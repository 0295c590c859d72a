// Compares nested collections, whose lists are in envelopes, with a hand-written implementation of the same document.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSandbox } from '../../../dist/index.js'
import { loadContract } from '../../../dist/load.js'
import { compareWorks } from './compare-works.mjs'
import { FOLDER } from './peers.mjs'
import { sandboxCommand } from './subjects.mjs'

const FIRST_PORT = 4900
const SIZES = [100, 10_000]
const DOCUMENT = fileURLToPath(new URL('issues.yaml', import.meta.url))
const COLLECTION = 'orgs/acme/repos/api/issues'
const PATH = `/v1/${COLLECTION}`

/** The columns of the table. The requests of one column take turns. */
const works = {
  list: { status: 200, path: PATH },
  pages: takingTurns([1, 2, 3, 4, 5].map((page) => `${PATH}?page=${page}`)),
  'filtered list': { status: 200, path: `${PATH}?state=open` },
  read: takingTurns([1, 7, 20, 55, 99].map((number) => `${PATH}/${number}`)),
  create: {
    status: 201,
    path: PATH,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'The door does not close', labels: ['door'] }),
  },
}

function takingTurns(paths) {
  return { status: 200, path: paths[0], paths }
}

/** Sends every kind of request to both servers with few and with many records. Returns the ratios to the first server. */
export async function compareNested(pace, report) {
  await writeFile(join(FOLDER, 'servers', 'issues.json'), JSON.stringify(await firstIssues()))
  return await compareWorks(servers(), FIRST_PORT, pace, report)
}

function servers() {
  return SIZES.flatMap((size) => {
    const records = `${size.toLocaleString('en')} records`
    return [
      {
        name: `Express by hand, ${records}`,
        command: (port) => [join(FOLDER, 'servers', 'issues.mjs'), port, size],
        works,
      },
      {
        name: `pet-sandbox, ${records}`,
        command: (port) => sandboxCommand(port, DOCUMENT, '--records', `${COLLECTION}=${size}`),
        works,
      },
    ]
  })
}

/** The issues of both servers, so that their responses have the same size. */
async function firstIssues() {
  const contract = await loadContract(DOCUMENT)
  const sandbox = createSandbox({ contract, records: { [COLLECTION]: SIZES[0] } })
  return await sandbox.collection(`/${COLLECTION}`).list()
}
