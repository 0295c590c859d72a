import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { startCommand, stopCommands } from '../testing/command.ts'
import { SUPPORTS_MSW_3 } from '../testing/modern-node.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const directory = useTemporaryDirectory()

afterEach(stopCommands)

test("the program loads neither Node's client for Fetch nor HTTP/2", async () => {
  const script = `await import('./dist/cli.js')
    console.log(process.moduleLoadList.filter((name) => /undici|http2/.test(name)).join())`

  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ])

  expect(stdout).toBe('\n')
})

// Node 20 has no such cache.
test.runIf(SUPPORTS_MSW_3)('a server that is killed has written what was compiled', async () => {
  const cache = join(directory(), 'node-compile-cache')
  const server = await startCommand(['--log', 'json'], {
    env: { TMPDIR: directory() },
    program: [process.execPath, 'bin/pet-sandbox.js'],
  })

  const files = (): Promise<readonly string[]> => readdir(cache, { recursive: true })
  await vi.waitFor(async () => expect((await files()).length).toBeGreaterThan(20), 20_000)
  await server.stop('SIGKILL')
})
