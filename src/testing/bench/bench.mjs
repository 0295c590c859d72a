// `npm run bench`: compares the sandbox with other servers in one run, in alternating rounds, so that a disturbance affects all.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { updatePage } from '../update-page.mjs'
import { FOLDER, installPeers } from './peers.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(`npm run bench -- [options]

Compares the sandbox with bare servers and with other mock servers. It takes about a quarter of an hour, and needs a
machine that does nothing else. It prints the figures, and writes them as JSON to ${FOLDER}/result.json.

  --only <part>   servers, in-process, start, records, nested or documents (needs redis-server); repeatable
  --quick         run one short round of each part, to test the bench itself
  --write         writes the tables and the chart into the guide`)
  process.exit()
}

const pace = values.quick ? { rounds: 1, seconds: 1 } : { rounds: 9, seconds: 1 }
const wanted = (part) => values.only === undefined || values.only.includes(part)

await installPeers()
// They import packages that were just installed.
const { compareServers } = await import('./compare-servers.mjs')
const { compareStarts } = await import('./compare-starts.mjs')
const { compareNested } = await import('./compare-nested.mjs')
const { compareDocuments } = await import('./compare-documents.mjs')
const { growRecords } = await import('./grow-records.mjs')
const { toMarkdown } = await import('./tables.mjs')
const { toChart } = await import('./chart.mjs')
const { firstPets } = await import('./subjects.mjs')

await writeFile(join(FOLDER, 'servers', 'pets.json'), JSON.stringify(await firstPets()))
const result = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${process.platform} ${process.arch}`,
  node: process.version,
  pace,
  ...(wanted('servers') && { servers: await compareServers(pace, report) }),
  ...(wanted('in-process') && { inProcess: await inProcess() }),
  ...(wanted('start') && { starts: await compareStarts(pace, report) }),
  ...(wanted('records') && { records: await growRecords(pace, report) }),
  ...(wanted('nested') && { nested: await compareNested(pace, report) }),
  ...(wanted('documents') && { documents: await compareDocuments(pace, report) }),
}
await writeFile(join(FOLDER, 'result.json'), JSON.stringify(result, null, 2))
console.log(toMarkdown(result))
if (values.write) {
  await mkdir('.github', { recursive: true })
  await writeFile('.github/bench.svg', toChart(result))
  await writeFile('.github/bench.json', `${JSON.stringify(result, null, 2)}\n`)
  const picture = '![Requests a second beside bare Express](../bench.svg)'
  await updatePage('.github/docs/performance.md', 'bench', `${picture}\n\n${toMarkdown(result)}`)
}

async function inProcess() {
  report('in process')
  const script = fileURLToPath(new URL('in-process.mjs', import.meta.url))
  const { rounds, seconds } = pace
  const { stdout } = await promisify(execFile)(process.execPath, [script, rounds, seconds / 2])
  return JSON.parse(stdout)
}

/** Shows the progress on one line of the terminal. */
function report(what) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what} …`)
  else console.error(`${what} …`)
}
