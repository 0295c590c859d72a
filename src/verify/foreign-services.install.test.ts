import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { findFreePort } from '../testing/free-port.ts'
import { installOnDemand } from '../testing/install-on-demand.mjs'
import { verify } from './verify.ts'

/** Services that nobody here wrote. Each serves the document that it makes of its own code. */
const PACKAGES = {
  '@loopback/example-todo': '6.0.0',
  '@loopback/example-file-transfer': '1.7.0',
}

/** How many operations may raise one false alarm. */
const OPERATIONS_PER_ALARM = 20

let folder = ''
let modules = ''
const started: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  modules = join(await installOnDemand('foreign-services', PACKAGES), 'node_modules')
})

afterAll(async () => {
  await Promise.all(
    started.map(async (child) => {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    }),
  )
  await rm(folder, { recursive: true })
})

/** Starts a service, and returns its address and its document. */
async function start(name: string): Promise<{ readonly base: string; readonly file: string }> {
  const port = await findFreePort()
  const rest = { port, host: '127.0.0.1', openApiSpec: { setServersFromRequest: true } }
  const options = JSON.stringify({ rest, fileStorageDirectory: folder })
  const child = spawn(process.execPath, ['-e', `require('./dist').main(${options})`], {
    cwd: join(modules, name),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  started.push(child)
  await once(child.stdout, 'data')
  const base = `http://127.0.0.1:${port}`
  const file = join(folder, `${port}.json`)
  await writeFile(file, await (await fetch(`${base}/openapi.json`)).text())

  return { base, file }
}

/**
 * Failures that are true: the service looks up an address at another one, which it cannot reach or does not know the address, and answers
 * 500.
 */
const TRUE_FAILURES = /^TodoController\.create\/|^errors\/server$/

test('services that nobody here wrote raise at most one false alarm for 20 operations', async () => {
  const alarms: string[] = []
  let operations = 0
  for (const name of Object.keys(PACKAGES)) {
    const { base, file } = await start(name)
    const contract = await loadContract(file)

    const { checks, unusable, operations: counted } = await verify(base, contract, { writes: true })

    expect(unusable).toBeUndefined()
    operations += counted.exercised
    const failed = checks.filter((one) => one.status === 'failed' && !one.consequenceOf)
    const isTrue = ({ id, received = '' }: (typeof failed)[number]): boolean =>
      TRUE_FAILURES.test(id) && received.startsWith('500')
    alarms.push(...failed.filter((one) => !isTrue(one)).map(({ id }) => id))
  }

  expect(operations).toBeGreaterThanOrEqual(10)
  expect(alarms.length).toBeLessThanOrEqual(operations / OPERATIONS_PER_ALARM)
})
