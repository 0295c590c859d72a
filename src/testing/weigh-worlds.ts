import { createSandbox } from '../index.ts'

const [worlds = 0, records = 0] = process.argv.slice(2).map(Number)
const headers = { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' }
const body = JSON.stringify({ name: 'Rex', categoryId: 1 })

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
process.stdout.write(String(heapUsed() - before))
// What is not used any more is not weighed.
if (sandbox.worlds.list().length !== worlds + 1) process.exitCode = 1

function heapUsed(): number {
  globalThis.gc?.()
  const { heapUsed: objects, external } = process.memoryUsage()
  return objects + external
}
