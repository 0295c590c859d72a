// `npm run check`: runs the checks side by side, as many at once as there are processors. It prints the output of each one when it has
// ended, and fails when one of them fails.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'

/** The scripts, the longest first. */
const CHECKS = ['types', 'lint', 'lint:unused', 'lint:package', 'lint:openapi', 'size']

const waiting = [...CHECKS]
const failed = []
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.map((name) => `npm run ${name}`).join(', ')}`)
  process.exitCode = 1
}

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await check(name)
}

async function check(name) {
  // The package is built already, and must not change while the other checks read it.
  const command = `npm run --ignore-scripts ${name} 2>&1`
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const output = await text(child.stdout)
  if ((await ended) !== 0) failed.push(name)
  process.stdout.write(output)
}
