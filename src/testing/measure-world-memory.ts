import { createSandbox } from '../index.ts'

const headers = { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' }
const body = JSON.stringify({ name: 'Rex', categoryId: 1 })

/** Bytes that so many worlds take, each of which was asked a few times. */
async function weigh(worlds: number, records: number): Promise<number> {
  const sandbox = createSandbox({ records, worlds })
  await sandbox.ready
  const before = heapUsed()
  for (let number = 0; number < worlds; number += 1) {
    const address = `http://localhost/worlds/w${number}/v1/pets`
    await sandbox.fetch(new Request(address, { method: 'POST', headers, body }))
    for (const path of ['', '?status=sold&limit=5', '/7']) {
      await (await sandbox.fetch(new Request(address + path, { headers }))).arrayBuffer()
    }
  }
  const bytes = heapUsed() - before
  // What is not used any more is not weighed.
  if (sandbox.worlds.list().length !== worlds + 1) throw new Error('A world is missing')

  return bytes
}

function heapUsed(): number {
  globalThis.gc?.()
  const { heapUsed: objects, external } = process.memoryUsage()
  return objects + external
}

// What the first requests of a process compile belongs to no world.
await weigh(1, 1)
for (const [worlds = 0, records = 0] of process.argv
  .slice(2)
  .map((sizes) => sizes.split('x').map(Number))) {
  process.stdout.write(`${await weigh(worlds, records)}\n`)
}
