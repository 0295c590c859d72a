// `npm run bench:store`: what servers on one store cost, in processor time, round trips and bytes, and how many a store carries.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { updatePage } from '../update-page.mjs'
import { compareInstances } from './store-instances.mjs'
import { measureMemory } from './store-memory.mjs'
import { startStore } from './store-server.mjs'
import { toMarkdown } from './store-tables.mjs'
import { measureTraffic } from './store-traffic.mjs'
import { measureWorks } from './store-works.mjs'

const { values } = parseArgs({
  options: {
    records: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(`npm run bench:store -- [options]

Starts Redis and servers on it, as processes, and measures what a request costs in each of them. It takes about three minutes,
and needs redis-server and a machine that does nothing else. Processor times hold on a machine with few cores, too;
requests per second do not, because the load, Redis and the servers share them.

  --records <number>  the size of the collection; repeatable (default: 100 and 20000)
  --rounds <number>   how often each figure is measured; the median counts (default: 3)
  --seconds <number>  the length of a round (default: 1)
  --write             writes the tables into the guide`)
  process.exit()
}

const pace = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const sizes = (values.records ?? ['100', '20000']).map(Number)

const store = await startStore()
try {
  const works = []
  for (const records of sizes) works.push(await measureWorks(store, records, pace, report))
  const result = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${process.platform} ${process.arch}`,
    node: process.version,
    redis: store.version,
    settings: store.settings,
    works,
    traffic: await measureTraffic(store, sizes[0], report),
    instances: await compareInstances(store, sizes[0], pace, report),
    memory: await measureMemory(store, sizes.at(-1), report),
  }
  const tables = toMarkdown(result)
  console.log(tables)
  if (values.write) await updatePage('.github/docs/shared-store.md', 'bench', tables)
} finally {
  await store.stop()
}

/** Shows the progress on one line of the terminal. */
function report(what) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what} …`)
  else console.error(`${what} …`)
}
