import { createSandbox } from '../index.ts'

const headers = { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' }
const body = JSON.stringify({ name: 'Rex', categoryId: 1 })

/** Measures the bytes that this number of worlds uses after a few requests to each. */
async function measure(worlds: number, records: number): Promise<number> {
  const sandbox = createSandbox({ records, worlds })
  await sandbox.ready
  // All worlds share the first records, which are made when one needs them.
  await sandbox.fetch(new Request('http://localhost/v1/pets?status=sold', { headers }))
  const before = heapUsed()
  for (let number = 0; number < worlds; number += 1) {
    const address = `http://localhost/worlds/w${number}/v1/pets`
    await sandbox.fetch(new Request(address, { method: 'POST', headers, body }))
    for (const path of ['', '?status=sold&limit=5', '/7']) {
      await (await sandbox.fetch(new Request(address + path, { headers }))).arrayBuffer()
    }
  }
  const bytes = heapUsed() - before
  // Uses the sandbox, so that it is not collected before.
  if (sandbox.worlds.list().length !== worlds + 1) throw new Error('Not all worlds exist')

  return bytes
}

/** Measures the bytes that each of so many created records keeps. The journal is full before. */
async function measureRecord(records: number): Promise<number> {
  const unlimited = { minute: 1e9, day: 1e9 }
  const sandbox = createSandbox({ plans: { free: unlimited } })
  const create = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1)
      await sandbox.fetch(
        new Request('http://localhost/v1/pets', { method: 'POST', headers, body }),
      )
  }
  await create(3000)
  const before = heapUsed()
  await create(records)
  const bytes = heapUsed() - before
  if (sandbox.worlds.list().length !== 1) throw new Error('The records are in one world')

  return bytes / records
}

function heapUsed(): number {
  globalThis.gc?.()
  const { heapUsed: objects, external } = process.memoryUsage()
  return objects + external
}

// The first requests of a process compile code, which belongs to no world.
await measure(1, 1)
for (const [worlds = 0, records = 0] of process.argv
  .slice(2)
  .map((sizes) => sizes.split('x').map(Number))) {
  process.stdout.write(`${await measure(worlds, records)}\n`)
}
process.stdout.write(`${await measureRecord(10_000)}\n`)
